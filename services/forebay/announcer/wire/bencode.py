"""Bencoding (BEP 3): integers, octets, lists and dictionaries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forebay.announcer.errors import BencodeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = int | bytes | list["Value"] | dict[bytes, "Value"]
    """What is decoded."""
    Encodable = int | bytes | Sequence["Encodable"] | Mapping[bytes, "Encodable"]

DEEPEST = 32
"""Lists and dictionaries within each other that are read; trackers need four."""

_INTEGER = re.compile(rb"i(-?[0-9]{1,20})e")
_LENGTH = re.compile(rb"([0-9]{1,10}):")


def decode(octets: bytes) -> Value:
    """Read the first value; what stands behind it is ignored, since some trackers append to their answers.

    Work and memory are in proportion to the octets. Keys may be in any order; the last of a kind wins.

    Raises `BencodeError`.
    """
    value, _ = _decode(octets, 0, 0)
    return value


def _decode(octets: bytes, at: int, depth: int) -> tuple[Value, int]:
    """The value that begins at a position, and the position behind it."""
    kind = octets[at : at + 1]
    if kind == b"i":
        return _decode_integer(octets, at)
    if kind not in (b"l", b"d"):
        return _decode_octets(octets, at)
    if depth == DEEPEST:
        raise BencodeError(f"more than {DEEPEST} lists and dictionaries within each other, at octet {at}")
    if kind == b"l":
        return _decode_list(octets, at + 1, depth + 1)
    return _decode_dictionary(octets, at + 1, depth + 1)


def _decode_integer(octets: bytes, at: int) -> tuple[int, int]:
    found = _INTEGER.match(octets, at)
    if found is None:
        raise BencodeError(f"no integer at octet {at}")
    return int(found[1]), found.end()


def _decode_octets(octets: bytes, at: int) -> tuple[bytes, int]:
    found = _LENGTH.match(octets, at)
    if found is None:
        raise BencodeError(f"no value at octet {at}")
    end = found.end() + int(found[1])
    if end > len(octets):
        raise BencodeError(f"the octets that begin at octet {at} are cut off")
    return octets[found.end() : end], end


def _decode_list(octets: bytes, at: int, depth: int) -> tuple[list[Value], int]:
    values = []
    while octets[at : at + 1] != b"e":
        value, at = _decode(octets, at, depth)
        values.append(value)
    return values, at + 1


def _decode_dictionary(octets: bytes, at: int, depth: int) -> tuple[dict[bytes, Value], int]:
    values = {}
    while octets[at : at + 1] != b"e":
        key, at = _decode_octets(octets, at)
        values[key], at = _decode(octets, at, depth)
    return values, at + 1


def encode(value: Encodable) -> bytes:
    """Write a value; keys are sorted."""
    if isinstance(value, int):
        return b"i%de" % value
    if isinstance(value, bytes):
        return b"%d:%b" % (len(value), value)
    if isinstance(value, dict):
        return b"d%be" % b"".join([encode(key) + encode(value[key]) for key in sorted(value)])
    return b"l%be" % b"".join([encode(each) for each in value])
