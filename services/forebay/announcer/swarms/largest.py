"""The largest swarms, found by a look at all of them that is spread over time."""

from __future__ import annotations

import math
from heapq import nlargest
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.announcer.swarms.swarm import Swarm
    from forebay.announcer.swarms.swarmtable import SwarmTable

MOST = 20
"""Swarms that are kept."""
ROUND = 60
"""Calls of `look` in which every swarm is looked at once, where there are many."""
SHARE = 2000
"""Swarms that a call looks at in any case: about a millisecond's work."""

Rank = tuple[int, bytes]
"""Peers of a swarm, and its info hash."""


class Largest:
    """Whoever calls `look` once a second has those of at most a minute ago; of a few thousand swarms, those of now."""

    def __init__(self, table: SwarmTable) -> None:
        self._table = table
        self._found: list[Rank] = []
        self._so_far: list[Rank] = []
        self._due: list[bytes] = []
        self._share = SHARE

    def look(self) -> None:
        """Look at a part of the swarms."""
        if not self._due:
            self._due = self._table.hashes()
            self._share = max(SHARE, math.ceil(len(self._due) / ROUND))
        part, self._due = self._due[-self._share :], self._due[: -self._share]
        self._so_far = nlargest(MOST, chain(self._so_far, self._ranks(part)))
        if not self._due:
            self._found, self._so_far = self._so_far, []

    def swarms(self) -> list[tuple[bytes, Swarm]]:
        """The largest ones that are still there, the largest first, as they are now."""
        there = sorted(self._ranks([info_hash for _, info_hash in self._found]), reverse=True)
        return [(info_hash, swarm) for _, info_hash in there if (swarm := self._table.get(info_hash))]

    def _ranks(self, info_hashes: list[bytes]) -> list[Rank]:
        get = self._table.get
        return [(len(swarm), info_hash) for info_hash in info_hashes if (swarm := get(info_hash)) is not None]
