"""The name of an article in message stores and tables."""

from hashlib import blake2b


def message_key(message_id: bytes) -> bytes:
    """16 octets that stand for a message-id: too long to be made to collide on purpose."""
    return blake2b(message_id, digest_size=16).digest()
