"""A peer: its queue, its accounts, its lines, and its backlog."""
