"""The name of an article in message stores and tables."""

from hashlib import blake2b

_EMPTY = blake2b(digest_size=16)
"""Copied for each key, which takes less time than making it."""


def message_key(message_id: bytes) -> bytes:
    """16 octets that stand for a message-id: too long to be made to collide on purpose."""
    hashing = _EMPTY.copy()
    hashing.update(message_id)
    return hashing.digest()
