"""Subscriptions, the node's own or its peers', found by the id or the URI of a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from forebay.conduit.core.uri.index import UriIndex

if TYPE_CHECKING:
    from collections.abc import Sequence


class Subscribing(Protocol):
    """Something that subscribes to a resource or selection."""

    @property
    def rid(self) -> int:
        """The resource; below 0 a selection."""
        ...


S = TypeVar("S", bound=Subscribing)


class MatchIndex(Generic[S]):
    """A look-up costs in proportion to what it finds.

    A resource may be used before it is defined: what subscribes to its id is found by its URI once there is one.
    """

    def __init__(self) -> None:
        self._by_rid: dict[int, list[S]] = {}
        self._by_uri: UriIndex[S] = UriIndex()
        self._selected: dict[S, str] = {}
        """URIs of those that subscribe to selections, or to ids that stand for them with one peer alone."""

    def add(self, subscribing: S, uri: str, *, apart: bool = False) -> None:
        """`uri`: what its id stands for, empty when that is not known; `apart`: with its peer alone."""
        if subscribing.rid >= 0 and not apart:
            self._by_rid.setdefault(subscribing.rid, []).append(subscribing)
        else:
            self._selected[subscribing] = uri
        if uri:
            self._by_uri.add(uri, subscribing)

    def remove(self, subscribing: S, uri: str) -> None:
        """Take it away again."""
        if subscribing not in self._selected:
            rest = self._by_rid[subscribing.rid]
            rest.remove(subscribing)
            if not rest:
                del self._by_rid[subscribing.rid]
        else:
            uri = self._selected.pop(subscribing)
        if uri:
            self._by_uri.remove(uri, subscribing)

    def defined(self, rid: int, uri: str) -> None:
        """An id has got a meaning."""
        for subscribing in self._by_rid.get(rid, ()):
            self._by_uri.add(uri, subscribing)

    def undefined(self, rid: int, uri: str) -> None:
        """It has it no more."""
        for subscribing in self._by_rid.get(rid, ()):
            self._by_uri.remove(uri, subscribing)

    def of(self, rid: int) -> Sequence[S]:
        """What subscribes to that very id."""
        return self._by_rid.get(rid, ()) if rid >= 0 else [each for each in self._selected if each.rid == rid]

    def find(self, rid: int, uri: str) -> list[S]:
        """What subscribes to that id, or to one whose URI matches."""
        found = list(self._by_rid.get(rid, ())) if rid >= 0 else []
        if uri:
            others = self._by_uri.matching(uri)
            found += [each for each in others if each.rid != rid or rid < 0 or each in self._selected]
        return found
