"""Durable queues over one message store."""
