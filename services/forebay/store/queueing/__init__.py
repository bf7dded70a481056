"""Queues: what they do with messages, above how they keep them."""
