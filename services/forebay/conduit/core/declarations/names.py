"""What ids stand for: resources for all, selections and bindings for who declared them, or for all if they say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.declarations.resources import Resources

if TYPE_CHECKING:
    from collections.abc import Mapping


class Names:
    """The ids of resources, and those that were declared for all nodes."""

    def __init__(self) -> None:
        self.resources = Resources()
        self._globals: dict[int, list[str]] = {}

    def uri(self, rid: int, ids: Mapping[int, str]) -> str:
        """What an id stands for when a node says it that has declared `ids` by itself; empty when that is unknown."""
        found = ids.get(rid)
        if found is None:
            everywhere = self._globals.get(rid)
            found = everywhere[0] if everywhere else self.resources.uri(rid)
        return found

    def share(self, rid: int, uri: str) -> None:
        """An id is valid for all nodes; of several meanings the first one counts, for as long as it is there."""
        self._globals.setdefault(rid, []).append(uri)

    def unshare(self, rid: int, uri: str) -> None:
        """It is no more."""
        meanings = self._globals[rid]
        meanings.remove(uri)
        if not meanings:
            del self._globals[rid]
