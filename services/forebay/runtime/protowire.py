"""Pieces of protobuf's encoding, for large messages most of whose octets are there already.

A serialised message may be put together from the octets of its fields in any order, and what is serialised by the
generated classes may follow: their parsers merge it all.
"""

from collections.abc import Iterable
from functools import lru_cache

VARINT, OCTETS = 0, 2
"""Wire types: a number, and so many octets."""

_LAST = [bytes((low,)) for low in range(0x80)]
_MORE = [bytes((low | 0x80,)) for low in range(0x80)]


def varint(number: int) -> bytes:
    """A number that is not below 0."""
    octets = bytearray()
    while number > 0x7F:
        octets.append(number & 0x7F | 0x80)
        number >>= 7
    octets.append(number)
    return bytes(octets)


def varints(first: int, count: int, before: bytes = b"") -> list[bytes]:
    """Consecutive numbers, each behind the octets `before`."""
    found: list[bytes] = []
    number, stop = first, first + count
    while number < stop:
        high, low = divmod(number, 0x80)
        upto = min(0x80, low + stop - number)
        if high:
            end = varint(high)
            found += [before + octet + end for octet in _MORE[low:upto]]
        else:
            found += [before + octet for octet in _LAST[low:upto]]
        number += upto - low
    return found


def tag(field: int, wire_type: int) -> bytes:
    """What the field of that number begins with."""
    return varint(field << 3 | wire_type)


@lru_cache(maxsize=8192)
def opening(field: int, length: int) -> bytes:
    """What stands before the octets of a field that has so many."""
    return tag(field, OCTETS) + varint(length)


def repeated(field: int, contents: list[bytes]) -> bytes:
    """A field that comes once for each of these."""
    pieces = [b""] * (2 * len(contents))
    pieces[::2] = openings(field, map(len, contents))
    pieces[1::2] = contents
    return b"".join(pieces)


def openings(field: int, lengths: Iterable[int]) -> list[bytes]:
    """What stands before the octets of each of some fields of that number."""
    return [opening(field, length) for length in lengths]
