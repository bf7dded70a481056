"""Hash feeds: the share of all articles that a peer takes, told by the message-id alone, so that peers split a feed."""

from dataclasses import dataclass
from hashlib import md5


@dataclass(frozen=True, slots=True)
class HashShare:
    """The articles whose hash, modulo `modulus` and plus one, is from `first` to `last`.

    The hash is 32 bits of the MD5 of the message-id: the lowest, or those `offset` octets higher. INN's Q flag and
    Diablo's hashfeed choose the same articles.
    """

    first: int
    last: int
    modulus: int
    offset: int = 0
    sums: bool = False
    """The hash is the sum of the octets of the message-id instead, as with `Q@` of INN and with Diablo before 5.1."""

    def position(self, message_id: bytes) -> int:
        """Where an article falls, from 1 to `modulus`."""
        value = sum(message_id) if self.sums else hash_value(message_digest(message_id), self.offset)
        return value % self.modulus + 1

    def takes(self, message_id: bytes) -> bool:
        """Whether an article is of this share."""
        return self.first <= self.position(message_id) <= self.last


def message_digest(message_id: bytes) -> bytes:
    """What all hash feeds of an article but those by sums are taken from."""
    return md5(message_id, usedforsecurity=False).digest()


def hash_value(digest: bytes, offset: int) -> int:
    """32 bits of a digest, `offset` octets above its lowest."""
    end = len(digest) - offset
    return int.from_bytes(digest[end - 4 : end], "big")
