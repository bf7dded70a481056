"""Hash feeds: the share of all articles that a peer takes, told by the message-id alone, so that peers split a feed."""

import re
from dataclasses import dataclass
from hashlib import md5

from forebay.outfeed.errors import PatternError

_RANGE = re.compile(r"(\d+)(?:-(\d+))?/(\d+)(?::(\d+))?")
_LARGEST = 0xFFFFFFFF
_LARGEST_OFFSET = 12


@dataclass(frozen=True, slots=True)
class HashRange:
    """The articles whose hash, modulo `modulus` and plus one, is from `first` to `last`.

    The hash is 32 bits of the MD5 of the message-id: the lowest, or those `offset` octets higher. INN's Q flag and
    Diablo's hashfeed choose the same articles.
    """

    first: int
    last: int
    modulus: int
    offset: int = 0

    @classmethod
    def parse(cls, text: str) -> "HashRange":
        """Read `value/modulus` or `first-last/modulus`, either with `:offset`. Raises `PatternError`."""
        match = _RANGE.fullmatch(text)
        if match is None:
            raise PatternError(f"hashfeed {text!r} is not first-last/modulus, as in 1-3/10, or with an offset 1-3/10:4")
        first, last, modulus, offset = match.groups()
        made = cls(int(first), int(last or first), int(modulus), int(offset or 0))
        if not 1 <= made.first <= made.last <= made.modulus <= _LARGEST or made.offset > _LARGEST_OFFSET:
            raise PatternError(
                f"hashfeed {text!r} needs 1 <= first <= last <= modulus <= {_LARGEST}, "
                f"and an offset of 0 to {_LARGEST_OFFSET}"
            )
        return made

    def position(self, message_id: bytes) -> int:
        """Where an article falls, from 1 to `modulus`."""
        return hash_value(message_digest(message_id), self.offset) % self.modulus + 1


def message_digest(message_id: bytes) -> bytes:
    """What all hash feeds of an article are taken from."""
    return md5(message_id, usedforsecurity=False).digest()


def hash_value(digest: bytes, offset: int) -> int:
    """32 bits of a digest, `offset` octets above its lowest."""
    end = len(digest) - offset
    return int.from_bytes(digest[end - 4 : end], "big")
