"""The access list: which torrents are tracked."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from forebay.announcer.errors import AccessListError
from forebay.announcer.swarms.infohash import from_hex

if TYPE_CHECKING:
    from collections.abc import Iterable


class Mode(StrEnum):
    """What being on the list means."""

    OFF = "off"
    """Nothing: all torrents are tracked."""
    ALLOW = "allow"
    """Only the listed ones are tracked."""
    DENY = "deny"
    """The listed ones are not tracked."""


class AccessList:
    """Info hashes, and what being among them means."""

    def __init__(self, mode: Mode = Mode.OFF, info_hashes: Iterable[bytes] = ()) -> None:
        """Info hashes are of 20 octets."""
        self.mode = mode
        self._listed = frozenset(info_hashes if mode is not Mode.OFF else ())
        self._wanted = mode is Mode.ALLOW

    def permits(self, info_hash: bytes) -> bool:
        """Whether a torrent is tracked."""
        return (info_hash in self._listed) is self._wanted


def read_info_hashes(text: str) -> frozenset[bytes]:
    """Read a list: an info hash a line, as 40 hexadecimal digits. Blank lines, and what follows a #, do not count.

    Raises `AccessListError`.
    """
    found = set()
    for number, line in enumerate(text.splitlines(), 1):
        word = line.partition("#")[0].strip()
        if word:
            found.add(_read(number, word))
    return frozenset(found)


def _read(number: int, word: str) -> bytes:
    info_hash = from_hex(word)
    if info_hash is None:
        raise AccessListError(f"line {number}: {word!r} is no info hash; give 40 hexadecimal digits")
    return info_hash
