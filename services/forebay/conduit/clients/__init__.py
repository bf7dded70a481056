"""Clients over gRPC: what they have declared, what they publish, and what waits for them to read."""
