"""The table of all swarms, within limits, with its oldest peers swept out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forebay.announcer.announce import STOPPED
from forebay.announcer.errors import TableFullError
from forebay.announcer.swarms.figures import NOBODY, Figures
from forebay.announcer.swarms.peerlist import Census
from forebay.announcer.swarms.swarm import Swarm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebay.announcer.announce import Announce
    from forebay.announcer.swarms.outside import News
    from forebay.announcer.swarms.record import Record
    from forebay.announcer.swarms.sampling import Random

ROUND = 60
"""Calls of `expire` in which every swarm is looked at once, unless very many peers are to go."""
AT_ONCE = 2000
"""Peers that a call removes, about: it takes some 15 ms, and clients wait so long."""


@dataclass(frozen=True, slots=True)
class SwarmLimits:
    """How much is remembered, and how long."""

    peer_age: float = 10_800.0
    """Seconds after which a client that has not announced again is forgotten."""
    most_peers: int = 1_000_000
    """Peers of all swarms; some 300 octets each."""
    most_swarms: int = 250_000
    """Swarms; some 1500 octets each, besides their peers."""


class SwarmTable:
    """Swarms by info hash. Times are monotonic seconds."""

    def __init__(self, limits: SwarmLimits, random: Random) -> None:
        self.limits = limits
        self.random = random
        self._census = Census()
        self._swarms: dict[bytes, Swarm] = {}
        self._due: list[bytes] = []
        self._share = 0

    def __len__(self) -> int:
        return len(self._swarms)

    @property
    def peers(self) -> int:
        """Peers of all swarms."""
        return self._census.peers

    def __iter__(self) -> Iterator[tuple[bytes, Swarm]]:
        return iter(self._swarms.items())

    def hashes(self) -> list[bytes]:
        """The info hashes of all swarms."""
        return list(self._swarms)

    def get(self, info_hash: bytes) -> Swarm | None:
        """The swarm of a torrent; None when it is not known."""
        return self._swarms.get(info_hash)

    def record(self, info_hash: bytes) -> Record | None:
        """All peers of a swarm, copied; None when it is not known."""
        swarm = self._swarms.get(info_hash)
        return None if swarm is None else swarm.record()

    def restore(self, info_hash: bytes, record: Record, now: float) -> int:
        """Bring a swarm back without the peers that are too old; how many are there.

        One that is known, or finds no room, is left out.
        """
        record = record.since(now - self.limits.peer_age)
        too_many = self.peers + record.peers > self.limits.most_peers or len(self) >= self.limits.most_swarms
        if not record.peers or too_many or info_hash in self._swarms:
            return 0
        self._found(info_hash).fill(record)
        return record.peers

    def knows(self, announce: Announce) -> bool:
        """Whether this client has announced this torrent before, and has not stopped since."""
        swarm = self._swarms.get(announce.info_hash)
        return swarm is not None and swarm.knows(announce)

    def announce(self, announce: Announce, now: float) -> tuple[Swarm, int]:
        """Take an announce; the swarm, and the client's place among the peers of its family, -1 when it has stopped.

        Raises `TableFullError` when there is no room for a new peer, or a new swarm.
        """
        swarm = self._swarms.get(announce.info_hash)
        if announce.event is STOPPED:
            return self._stop(swarm, announce), -1
        if self._census.peers >= self.limits.most_peers:
            self._check_room(swarm, announce)
        if swarm is None:
            swarm = self._found(announce.info_hash)
        return swarm, swarm.put(announce, now)

    def figures(self, info_hash: bytes) -> Figures:
        """The sizes of a swarm; zeros for one that is not known."""
        swarm = self._swarms.get(info_hash)
        return swarm.figures() if swarm is not None else NOBODY

    def hear(self, info_hash: bytes, news: News, now: float) -> None:
        """Another tracker told of a swarm; it is of use while somebody announces it here."""
        swarm = self._swarms.get(info_hash)
        if swarm is not None:
            swarm.hear(news, now)

    def expire(self, now: float) -> None:
        """Look at a part of the swarms: remove peers of old, and swarms without any.

        Whoever calls it once a second gives every swarm its turn within a minute or so.
        """
        if not self._due:
            self._due = list(self._swarms)
            self._share = math.ceil(len(self._due) / ROUND)
        end, enough = len(self._due) - self._share, self.peers - AT_ONCE
        while self._due and len(self._due) > end and self.peers > enough:
            if self._sweep(self._due[-1], now):
                self._due.pop()

    def _sweep(self, info_hash: bytes, now: float) -> bool:
        """Look at a swarm; whether it need not be looked at again."""
        swarm = self._swarms[info_hash]
        done = swarm.expire(now - self.limits.peer_age, AT_ONCE, now)
        if len(swarm):
            return done
        del self._swarms[info_hash]
        return True

    def _stop(self, swarm: Swarm | None, announce: Announce) -> Swarm:
        if swarm is None:
            return Swarm(self._census)
        swarm.remove(announce)
        return swarm

    def _check_room(self, swarm: Swarm | None, announce: Announce) -> None:
        if swarm is None or not swarm.knows(announce):
            raise TableFullError("the tracker is full", self.limits.peer_age / 10)

    def _found(self, info_hash: bytes) -> Swarm:
        if len(self._swarms) >= self.limits.most_swarms:
            raise TableFullError("the tracker is full", self.limits.peer_age / 10)
        swarm = self._swarms[info_hash] = Swarm(self._census)
        return swarm
