"""Patterns and URIs in the order of how they begin and of how they end, to find those that agree with another there."""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import chain
from typing import TYPE_CHECKING

from forebay.conduit.core.uri.syntax import prefix_of, suffix_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEHIND = "\x7f"
"""Sorts behind every character of a URI."""


class Ends:
    """Patterns and URIs by their prefix and by their suffix."""

    def __init__(self) -> None:
        self._prefixes = _Spellings()
        self._suffixes = _Spellings()

    def add(self, uri: str) -> None:
        """Keep one."""
        self._prefixes.add(prefix_of(uri), uri)
        self._suffixes.add(suffix_of(uri)[::-1], uri)

    def remove(self, uri: str) -> None:
        """Keep it no more."""
        self._prefixes.remove(prefix_of(uri), uri)
        self._suffixes.remove(suffix_of(uri)[::-1], uri)

    def agreeing(self, uri: str) -> tuple[int, Iterator[str]]:
        """Those that may match, by the end that leaves fewer of them, and how many they are."""
        ways = self._prefixes.agreeing(prefix_of(uri)), self._suffixes.agreeing(suffix_of(uri)[::-1])
        return min(ways, key=lambda way: way[0])


class _Spellings:
    """URIs by one spelling of each, which many may share."""

    def __init__(self) -> None:
        self._order: list[str] = []
        self._uris: dict[str, set[str]] = {}

    def add(self, spelling: str, uri: str) -> None:
        uris = self._uris.get(spelling)
        if uris is None:
            uris = self._uris[spelling] = set()
            insort(self._order, spelling)
        uris.add(uri)

    def remove(self, spelling: str, uri: str) -> None:
        uris = self._uris[spelling]
        uris.remove(uri)
        if not uris:
            del self._uris[spelling]
            del self._order[bisect_left(self._order, spelling)]

    def agreeing(self, spelling: str) -> tuple[int, Iterator[str]]:
        """URIs whose spelling begins with that one, or the other way round, and how many they are."""
        start, stop = bisect_left(self._order, spelling), bisect_left(self._order, spelling + _BEHIND)
        shorter = [part for length in range(len(spelling)) if (part := spelling[:length]) in self._uris]
        groups = [self._uris[found] for found in shorter + self._order[start:stop]]
        return sum(map(len, groups)), chain.from_iterable(groups)
