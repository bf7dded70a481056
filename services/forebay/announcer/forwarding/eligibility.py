"""Who may be told of a torrent, and when: the time of the next announce by torrent and forwarder.

It also remembers which forwarders know which client, since those alone are told that it stopped or completed.
"""

from __future__ import annotations

import math
from array import array
from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from forebay.announcer.forwarding.interval import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from forebay.announcer.forwarding.forwarderstate import ForwarderState

REMEMBERED = 2 * LONGEST
"""Seconds that a client or a torrent is remembered after its last announce. By then any tracker has forgotten it."""


_NONE = -1


class Due(NamedTuple):
    """Forwarders that may be told of a torrent now."""

    forwarders: Sequence[ForwarderState] = ()
    names: frozenset[str] = frozenset()

    def without(self, names: AbstractSet[str]) -> Sequence[ForwarderState]:
        """All but those of these names."""
        # While jobs wait, most announces find all of them named.
        if self.names <= names:
            return ()
        return [forwarder for forwarder in self.forwarders if forwarder.name not in names]


_NOBODY = Due()


class _Torrent:
    """One torrent: times by the forwarders' slots, and for each client a bit for each slot that knows it."""

    __slots__ = ("due", "look_at", "times", "told", "touched", "view")

    def __init__(self) -> None:
        self.times = array("d")
        self.told: dict[bytes, tuple[int, float]] = {}
        self.touched = 0.0
        self.due = _NOBODY
        """Who was due at the last look, and is until `look_at`, if nothing changed since."""
        self.look_at = 0.0
        self.view = _NONE
        """Of what state of the forwarders the last look was."""

    def next_announce(self, slot: int) -> float:
        return self.times[slot] if slot < len(self.times) else 0.0

    def set_next(self, slot: int, at: float) -> None:
        if slot >= len(self.times):
            self.times.extend([0.0] * (slot + 1 - len(self.times)))
        self.times[slot] = at
        self.due, self.view = _NOBODY, _NONE

    def knows(self, peer_id: bytes, slot: int) -> bool:
        return bool(self.told.get(peer_id, (0, 0.0))[0] >> slot & 1)

    def tell(self, peer_id: bytes, slot: int, now: float) -> None:
        slots, _ = self.told.pop(peer_id, (0, 0.0))
        self.told[peer_id] = slots | 1 << slot, now

    def untell(self, peer_id: bytes, slot: int) -> None:
        slots, at = self.told.get(peer_id, (0, 0.0))
        slots &= ~(1 << slot)
        if slots:
            self.told[peer_id] = slots, at
        else:
            self.told.pop(peer_id, None)

    def known_by_none(self, slot: int) -> bool:
        return not any(slots >> slot & 1 for slots, _ in self.told.values())

    def forget_clients(self, before: float) -> None:
        # Those told last stand last.
        while self.told and self.told[oldest := next(iter(self.told))][1] < before:
            del self.told[oldest]

    def forget_slot(self, slot: int) -> None:
        if slot < len(self.times):
            self.set_next(slot, 0.0)
        for peer_id in [peer_id for peer_id in self.told if self.knows(peer_id, slot)]:
            self.untell(peer_id, slot)


class Eligibility:
    """The table of all torrents that a forwarder was told of. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._torrents: OrderedDict[bytes, _Torrent] = OrderedDict()
        self._unknown = _Torrent()
        self._view = 0

    def __len__(self) -> int:
        return len(self._torrents)

    def due(self, info_hash: bytes, forwarders: Iterable[ForwarderState], now: float) -> Due:
        """The forwarders that are neither disabled nor suspended and whose time has come, or that never heard of it.

        Most announces find that nothing has changed since the last one.
        """
        torrent = self._torrents.get(info_hash, self._unknown)
        if torrent.view != self._view or torrent.look_at <= now:
            times = [(max(each.blocked_until, torrent.next_announce(each.slot)), each) for each in forwarders]
            due = [each for at, each in times if at <= now]
            torrent.due = Due(due, frozenset([each.name for each in due]))
            torrent.look_at = min((at for at, _ in times if at > now), default=math.inf)
            torrent.view = self._view
        return torrent.due

    def knowing(
        self, info_hash: bytes, peer_id: bytes, forwarders: Iterable[ForwarderState], now: float
    ) -> list[ForwarderState]:
        """The forwarders that are neither disabled nor suspended and that were told of this client."""
        torrent = self._torrents.get(info_hash)
        if torrent is None or peer_id not in torrent.told:
            return []
        return [
            forwarder
            for forwarder in forwarders
            if forwarder.blocked_until <= now and torrent.knows(peer_id, forwarder.slot)
        ]

    def knows(self, info_hash: bytes, peer_id: bytes, forwarder: ForwarderState) -> bool:
        """Whether the forwarder was told of this client, and not that it stopped."""
        torrent = self._torrents.get(info_hash)
        return torrent is not None and torrent.knows(peer_id, forwarder.slot)

    def next_announce(self, info_hash: bytes, forwarder: ForwarderState) -> float:
        """When the forwarder may be told of the torrent again; 0: at once."""
        torrent = self._torrents.get(info_hash)
        return 0.0 if torrent is None else torrent.next_announce(forwarder.slot)

    def told(
        self, info_hash: bytes, peer_id: bytes, forwarder: ForwarderState, next_announce: float, now: float
    ) -> None:
        """The forwarder answered an announce of this client."""
        torrent = self._touch(info_hash, now)
        torrent.set_next(forwarder.slot, next_announce)
        torrent.tell(peer_id, forwarder.slot, now)
        torrent.forget_clients(now - REMEMBERED)

    def stopped(self, info_hash: bytes, peer_id: bytes, forwarder: ForwarderState, now: float) -> None:
        """The forwarder answered that this client stopped. One that knows no other client is due at once."""
        torrent = self._touch(info_hash, now)
        torrent.untell(peer_id, forwarder.slot)
        if torrent.known_by_none(forwarder.slot):
            torrent.set_next(forwarder.slot, 0.0)

    def put_off(self, info_hash: bytes, forwarder: ForwarderState, until: float, now: float) -> None:
        """The forwarder is told nothing of the torrent before that."""
        torrent = self._touch(info_hash, now)
        torrent.set_next(forwarder.slot, max(until, torrent.next_announce(forwarder.slot)))

    def look_again(self) -> None:
        """Forwarders came, went, or were disabled, suspended or enabled: others may be due than at the last look."""
        self._view += 1

    def forget_slots(self, slots: Iterable[int]) -> None:
        """The forwarders of these slots are gone; the slots may be given to others."""
        gone = list(slots)
        for torrent in self._torrents.values():
            for slot in gone:
                torrent.forget_slot(slot)

    def expire(self, now: float, limit: int = 1000) -> None:
        """Forget torrents that were not announced for long, at most `limit` of them at once."""
        oldest = list(islice(self._torrents.items(), limit))
        for info_hash, torrent in oldest:
            if torrent.touched >= now - REMEMBERED:
                return
            self._expire(info_hash, torrent, now)

    def _expire(self, info_hash: bytes, torrent: _Torrent, now: float) -> None:
        if max(torrent.times, default=0.0) <= now:
            del self._torrents[info_hash]
        else:
            self._touch(info_hash, now)

    def _touch(self, info_hash: bytes, now: float) -> _Torrent:
        torrent = self._torrents.get(info_hash)
        if torrent is None:
            torrent = self._torrents[info_hash] = _Torrent()
        else:
            self._torrents.move_to_end(info_hash)
        torrent.touched = now
        return torrent
