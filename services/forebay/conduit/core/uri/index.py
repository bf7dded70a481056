"""Many URIs and patterns with what belongs to them, found by URI or pattern without a look at all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from forebay.conduit.core.uri.ends import Ends
from forebay.conduit.core.uri.pattern import pattern_of
from forebay.conduit.core.uri.syntax import is_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

V = TypeVar("V")


class UriIndex(Generic[V]):
    """Values by URI or pattern, all of them valid; one URI may have several values, and a value several URIs.

    A look-up tests those alone that share some characters with what is sought, or agree with it at one end.
    """

    def __init__(self) -> None:
        self._values: dict[str, list[V]] = {}
        self._literals = _Literals()
        self._patterns = _Patterns()

    def __len__(self) -> int:
        return len(self._values)

    def add(self, uri: str, value: V) -> None:
        """Put a value under a URI or pattern."""
        if uri not in self._values:
            self._values[uri] = []
            self._kind(uri).add(uri)
        self._values[uri].append(value)

    def remove(self, uri: str, value: V) -> None:
        """Take it away again; raises `KeyError` when it is not there."""
        values = self._values.get(uri, [])
        if value not in values:
            raise KeyError(uri)
        values.remove(value)
        if not values:
            del self._values[uri]
            self._kind(uri).remove(uri)

    def exactly(self, uri: str) -> list[V]:
        """The values under that very URI or pattern."""
        return list(self._values.get(uri, ()))

    def matching(self, uri: str) -> list[V]:
        """The values under every URI and pattern that matches this one; in no order."""
        return [value for found in self.uris_matching(uri) for value in self._values[found]]

    def uris_matching(self, uri: str) -> Iterator[str]:
        """Those URIs and patterns; the index must not change meanwhile."""
        if is_pattern(uri):
            sought = pattern_of(uri)
            yield from filter(sought.matches, self._literals.like(uri))
            yield from (found for found in self._patterns.like_pattern(uri) if sought.intersects(pattern_of(found)))
        else:
            if uri in self._values:
                yield uri
            yield from (found for found in self._patterns.like(uri) if pattern_of(found).matches(uri))

    def _kind(self, uri: str) -> _Literals | _Patterns:
        return self._patterns if is_pattern(uri) else self._literals


class _Literals:
    """URIs without wildcards, by each of their parts."""

    def __init__(self) -> None:
        self._by_part: dict[str, set[str]] = {}
        self._ends = Ends()

    def add(self, uri: str) -> None:
        self._ends.add(uri)
        for part in _whole_parts(uri):
            self._by_part.setdefault(part, set()).add(uri)

    def remove(self, uri: str) -> None:
        self._ends.remove(uri)
        for part in _whole_parts(uri):
            _discard(self._by_part, part, uri)

    def like(self, uri: str) -> Iterable[str]:
        """Those that may match a pattern."""
        groups = [self._by_part.get(part, set()) for part in _whole_parts(uri)]
        rarest = min(groups, key=len, default=None)
        count, agreeing = self._ends.agreeing(uri)
        return agreeing if rarest is None or count < len(rarest) else rarest


class _Patterns:
    """Patterns, each by three characters in a row that it asks for: those that the fewest had when it came."""

    def __init__(self) -> None:
        self._by_gram: dict[str, set[str]] = {}
        self._gram_of: dict[str, str] = {}
        self._loose = Ends()
        """Those that ask for no three in a row."""
        self._ends = Ends()
        """All."""

    def add(self, uri: str) -> None:
        self._ends.add(uri)
        gram = min(_grams(uri), key=lambda gram: len(self._by_gram.get(gram, ())), default=None)
        if gram is None:
            self._loose.add(uri)
        else:
            self._gram_of[uri] = gram
            self._by_gram.setdefault(gram, set()).add(uri)

    def remove(self, uri: str) -> None:
        self._ends.remove(uri)
        gram = self._gram_of.pop(uri, None)
        if gram is None:
            self._loose.remove(uri)
        else:
            _discard(self._by_gram, gram, uri)

    def like(self, uri: str) -> Iterator[str]:
        """Those that may match a URI without wildcards."""
        for gram in _grams(uri):
            yield from self._by_gram.get(gram, ())
        yield from self._loose.agreeing(uri)[1]

    def like_pattern(self, uri: str) -> Iterator[str]:
        """Those that may match a pattern."""
        return self._ends.agreeing(uri)[1]


def _grams(uri: str) -> set[str]:
    """Three characters in a row, without wildcards: every URI that matches has them too."""
    grams = {uri[at : at + 3] for at in range(len(uri) - 2)}
    return {gram for gram in grams if not is_pattern(gram)} if is_pattern(uri) else grams


def _whole_parts(uri: str) -> set[str]:
    """Parts without wildcards: every URI that matches has them too."""
    return {part for part in uri.split("/") if part and not is_pattern(part)}


def _discard(groups: dict[str, set[str]], part: str, uri: str) -> None:
    groups[part].discard(uri)
    if not groups[part]:
        del groups[part]
