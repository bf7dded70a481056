"""Samples of the node's own publishers for its own subscribers: no datagram carries them."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.subscribers import Delivery, hand_over

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from forebay.conduit.core.declarations.directory import Reach
    from forebay.conduit.core.subscribers import Guard

MOST_SAMPLES = 4096
"""A writer waits for own subscribers that have so many samples before them,"""
MOST_OCTETS = 1 << 20
"""or so many octets of payload."""
LOOK_AGAIN = 0.01
"""Seconds until a sample that a subscriber refused is offered again."""


class _Backlog:
    """What one writer has written, and own subscribers have not taken."""

    __slots__ = ("due", "octets", "payloads", "reach", "reliable", "rid", "taken")

    def __init__(self, rid: int, reach: Callable[[], Reach], *, reliable: bool) -> None:
        self.rid = rid
        self.reach = reach
        self.reliable = reliable
        self.payloads: list[bytes] = []
        self.octets = 0
        self.due = -inf
        self.taken: set[int] = set()
        """Subscribers that have had the first sample already."""


class Loopback:
    """Each writer's samples stay in their order, and a slow subscriber holds up only those who write to it.

    Handlers run in `housekeep`, so on the thread that writes, never within a write.
    """

    def __init__(self, own_id: bytes, admits: Callable[[Guard], bool], wake: Callable[[], None]) -> None:
        """`wake`: housekeeping is due."""
        self._own_id = own_id
        self._admits = admits
        self._wake = wake
        self._backlogs: dict[Hashable, _Backlog] = {}
        """By writer; only of those that have one."""

    def has_room(self, writer: Hashable) -> bool:
        """Whether samples of that writer may be added."""
        backlog = self._backlogs.get(writer)
        return backlog is None or (len(backlog.payloads) < MOST_SAMPLES and backlog.octets < MOST_OCTETS)

    def add(
        self, writer: Hashable, rid: int, reach: Callable[[], Reach], samples: Sequence[bytes], *, reliable: bool
    ) -> None:
        """Samples were written. `rid` 0: by URI; `reach`: whom they are for, as it stands when they are handed over.

        Unreliable ones that there is no room for are lost.
        """
        if not samples or not (reliable or self.has_room(writer)):
            return
        backlog = self._backlogs.get(writer)
        if backlog is None:
            backlog = self._backlogs[writer] = _Backlog(rid, reach, reliable=reliable)
        backlog.payloads += samples
        backlog.octets += sum(map(len, samples))
        self._wake()

    def housekeep(self, now: float) -> None:
        """Hand samples over, once to each subscriber."""
        for writer, backlog in list(self._backlogs.items()):
            if backlog.due <= now:
                # First of all, so that a handler that fails does not fail again at once.
                backlog.due = now + LOOK_AGAIN
                try:
                    self._serve(backlog)
                except Exception:
                    # What else was to be done is done then.
                    self._wake()
                    raise
                if not backlog.payloads:
                    del self._backlogs[writer]

    def due(self) -> float:
        """When `housekeep` has something to do."""
        return min((backlog.due for backlog in self._backlogs.values()), default=inf)

    def _serve(self, backlog: _Backlog) -> None:
        left = len(backlog.payloads)
        while left:
            payloads = backlog.payloads[:left]
            taken = self._hand_over(backlog, payloads)
            refused = taken < left
            if refused and not backlog.reliable:
                taken += 1
                backlog.taken.clear()
            del backlog.payloads[:taken]
            backlog.octets -= sum(map(len, payloads[:taken]))
            left -= taken
            if refused and backlog.reliable:
                return
        if backlog.payloads:
            # Handlers have written more.
            backlog.due = -inf
            self._wake()

    def _hand_over(self, backlog: _Backlog, payloads: list[bytes]) -> int:
        reach = backlog.reach()
        if not reach.own:
            return len(payloads)
        return hand_over(
            Delivery(self._own_id, backlog.rid, reach.uri, payloads), reach.own, self._admits, backlog.taken
        )
