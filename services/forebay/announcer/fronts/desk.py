"""The desk: what both fronts do with an announce or a scrape, once it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from forebay.announcer.announce import STOPPED
from forebay.announcer.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from forebay.announcer.access import AccessList
    from forebay.announcer.announce import Announce
    from forebay.announcer.swarms.figures import Candidate, Figures
    from forebay.announcer.swarms.swarm import Swarm
    from forebay.announcer.swarms.swarmtable import SwarmTable


BOTH_FAMILIES = 4 + 16
"""What the octets of an IPv4 and an IPv6 address add up to: less one's, it is the other's."""


class Refusal(Protocol):
    """An announce cannot be passed on now."""

    @property
    def retry_after(self) -> float:
        """Seconds after which the client may try again."""
        ...


class Forward(Protocol):
    """Passes announces on to other trackers."""

    def __call__(self, announce: Announce, knows: Callable[[Announce], bool], now: float, /) -> Refusal | None:
        """`knows`: whether the client has announced this torrent before. A first announce alone may be refused."""
        ...


@dataclass(frozen=True, slots=True)
class AnnounceSettings:
    """What clients are told."""

    interval: int = 1800
    """Seconds from one announce of a client to the next."""
    min_interval: int = 900
    """Seconds that a client has to let pass at least; told over HTTP only."""
    numwant: int = 50
    """Peers for a client that does not say how many it wants."""
    most_numwant: int = 200
    """Peers for a client that wants more."""
    tracker_id: bytes = b""
    """What clients shall send back with their next announces; told over HTTP only; empty: nothing."""


class Desk:
    """Enters clients in the table, if the access list permits the torrent, and passes their announces on."""

    def __init__(
        self, table: SwarmTable, access: AccessList, settings: AnnounceSettings, forward: Forward | None = None
    ) -> None:
        """`forward`: None where there is no other tracker."""
        self.table = table
        self.access = access
        self.settings = settings
        self._forward = forward

    def enter(self, announce: Announce, now: float) -> tuple[Swarm, int]:
        """Take an announce; the swarm, and the client's place among the peers of its family, -1 when it has stopped.

        Raises `RefusedError`.
        """
        if not self.access.permits(announce.info_hash):
            raise RefusedError("this torrent is not tracked here")
        if self._forward is not None:
            refusal = self._forward(announce, self.table.knows, now)
            if refusal is not None:
                # It is not entered: its next announce shall be its first again.
                raise RefusedError("the tracker is busy", refusal.retry_after)
        return self.table.announce(announce, now)

    def wanted(self, announce: Announce) -> int:
        """How many peers the client gets, if there are so many."""
        if announce.event is STOPPED:
            return 0
        wanted, settings = announce.numwant, self.settings
        if wanted is None:
            return settings.numwant
        return wanted if wanted < settings.most_numwant else settings.most_numwant

    def candidates(self, announce: Announce, swarm: Swarm, place: int) -> list[Candidate]:
        """The peers that the client at this place gets, those of its own family first."""
        count, family, seeder, random = (
            self.wanted(announce),
            len(announce.address),
            announce.left == 0,
            self.table.random,
        )
        found = swarm.candidates(family, place, seeder, count, random)
        return found + swarm.candidates(BOTH_FAMILIES - family, -1, seeder, count - len(found), random)

    def scrape(self, info_hashes: Iterable[bytes]) -> list[Figures]:
        """The sizes of swarms; zeros for those that are unknown, or not permitted."""
        return [self.table.figures(info_hash) for info_hash in info_hashes]
