"""Which qualities ids are used with, so that a definition which comes later can be held against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.core.declarations.quality import NOTHING, Told, contradict

if TYPE_CHECKING:
    from collections.abc import Hashable

    from forebay.conduit.core.declarations.events import DeclarationKind


class Use(NamedTuple):
    """Who uses an id, and what as."""

    owner: int
    """Index of the peer; `OWN` for the node."""
    kind: DeclarationKind
    number: Hashable = 0
    """Tells several of one owner apart."""


class Uses:
    """By id. Those that tell nothing about quality contradict nothing, and are not kept."""

    def __init__(self) -> None:
        self._told: dict[int, dict[Use, Told]] = {}

    def add(self, rid: int, use: Use, told: Told) -> None:
        """An id is used."""
        if told != NOTHING:
            self._told.setdefault(rid, {})[use] = told

    def remove(self, rid: int, use: Use) -> None:
        """It is used so no more."""
        uses = self._told.get(rid)
        if uses and uses.pop(use, None) and not uses:
            del self._told[rid]

    def contradiction(self, rid: int, told: Told) -> Told | None:
        """What one that uses the id has told, and a definition contradicts."""
        uses = self._told.get(rid, {})
        return next((used for used in uses.values() if contradict(used, told)), None)
