"""The resources that a node knows: id and URI, what quality was told, and who defined them."""

from __future__ import annotations

from binascii import crc32
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.declarations.quality import contradict, together
from forebay.conduit.core.uri.index import UriIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebay.conduit.core.declarations.events import Meaning

OWN = -1
"""The node itself, where others are named by the index of their slot."""
CHOSEN_RIDS = 8191
"""Ids that a node chooses by itself are 1 to this: they take two octets at most."""


class Resource:
    """One id and what it stands for."""

    __slots__ = ("holders", "meaning", "rid")

    def __init__(self, rid: int, meaning: Meaning) -> None:
        self.rid = rid
        self.meaning = meaning
        self.holders: dict[int, float] = {}
        """Who defined it, and until when it was tentative of each; infinity while the node's own is."""

    def tentative(self, now: float) -> bool:
        """Whether nobody's definition is final yet."""
        return all(until > now for until in self.holders.values())

    def agrees(self, meaning: Meaning) -> bool:
        """Whether another definition says the same."""
        mine = self.meaning
        return mine.uri == meaning.uri and mine.unicast == meaning.unicast and not contradict(mine.told, meaning.told)


class Resources:
    """By id, and by URI or pattern."""

    def __init__(self) -> None:
        self._by_rid: dict[int, Resource] = {}
        self._by_uri: UriIndex[int] = UriIndex()

    def __len__(self) -> int:
        return len(self._by_rid)

    def __iter__(self) -> Iterator[Resource]:
        return iter(list(self._by_rid.values()))

    def get(self, rid: int) -> Resource | None:
        """The resource of that id."""
        return self._by_rid.get(rid)

    def uri(self, rid: int) -> str:
        """What the id stands for; empty when nobody has defined it."""
        found = self._by_rid.get(rid)
        return found.meaning.uri if found else ""

    def exactly(self, uri: str) -> list[int]:
        """The ids of that very URI or pattern."""
        return self._by_uri.exactly(uri)

    def matching(self, uri: str) -> list[int]:
        """The ids of every URI and pattern that matches."""
        return self._by_uri.matching(uri)

    def hold(self, owner: int, rid: int, meaning: Meaning, until: float = -inf) -> bool:
        """One more defines it, who agrees with the others; whether it is new. `until`: it is tentative as long."""
        resource = self._by_rid.get(rid)
        new = resource is None
        if resource is None:
            resource = self._by_rid[rid] = Resource(rid, meaning)
            self._by_uri.add(meaning.uri, rid)
        elif resource.meaning.told != meaning.told:
            resource.meaning = resource.meaning._replace(told=together(resource.meaning.told, meaning.told))
        resource.holders[owner] = min(until, resource.holders.get(owner, inf))
        return new

    def release(self, owner: int, rid: int) -> Meaning | None:
        """One less defines it; what it stood for, if that was the last one."""
        resource = self._by_rid.get(rid)
        if resource is None or resource.holders.pop(owner, None) is None or resource.holders:
            return None
        del self._by_rid[rid]
        self._by_uri.remove(resource.meaning.uri, rid)
        return resource.meaning

    def choose(self, uri: str, attempt: int) -> int:
        """An id for a URI: one that it has, or else one that is free; `attempt`: so many were taken elsewhere.

        It begins where the URI's checksum says, so that nodes which define a resource at the same moment mostly choose
        the same id without a word, and different ones for different resources.
        """
        known = self._by_uri.exactly(uri)
        if known:
            return min(known)
        rid = (crc32(uri.encode()) + attempt) % CHOSEN_RIDS
        while rid + 1 in self._by_rid:
            rid = (rid + 1) % CHOSEN_RIDS if len(self._by_rid) < CHOSEN_RIDS else rid + CHOSEN_RIDS
        return rid + 1
