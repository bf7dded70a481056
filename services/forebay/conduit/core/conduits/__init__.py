"""Reliable conduits: windows of what was sent and not acknowledged, what is expected from each peer, and packing."""
