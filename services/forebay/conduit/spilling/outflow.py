"""Where samples go that were laid aside: back to the window of their publisher."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from forebay.conduit.core.errors import UnknownPublisherError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.clients.tally import Tally
    from forebay.conduit.core.conduits.outlet import Outlet
    from forebay.conduit.transport.station import Station


class Mark:
    """How far a conduit had got; passed once its peers have acknowledged all before it."""

    __slots__ = ("_number", "_outlet", "_station")

    def __init__(self, station: Station, outlet: Outlet | None) -> None:
        self._station = station
        self._outlet = outlet
        self._number = outlet.conduit.window.next + outlet.conduit.cutter.unfinished if outlet else 0

    @property
    def passed(self) -> bool:
        """Whether it is; also when nobody is there any more who could acknowledge it."""
        outlet = self._outlet
        if outlet is None or outlet.conduit.window.base >= self._number:
            return True
        return not self._station.core.transmission.has(outlet)


class Outflow:
    """A publisher of the node, for what was laid aside of it."""

    def __init__(self, station: Station, number: int, tally: Tally) -> None:
        self.number = number
        self._station = station
        self._publisher = station.core.publisher(number)
        self._tally = tally

    @property
    def here(self) -> bool:
        """Whether the publisher is there: it goes when its resource is refused, and another may have its number."""
        try:
            return self._station.core.publisher(self.number) is self._publisher
        except UnknownPublisherError:
            return False

    @property
    def wanted(self) -> bool:
        """Whether somebody gets its samples now."""
        way = self._publisher.way
        reach = self._station.core.declarations.own.reach(self._publisher.settings.rid)
        return self.here and way.named and bool(reach.peers or reach.own)

    def check(self, samples: Sequence[bytes]) -> None:
        """Raises `SampleTooLargeError`, as writing would."""
        outlet = self._station.core.transmission.outlet(self._publisher.settings.conduit)
        outlet.check(self._publisher.form, samples)

    def send(self, samples: Sequence[bytes]) -> int:
        """Write the first of them to the window; returns how many."""
        dropped = self._publisher.dropped
        written = self._station.core.unspill(self.number, samples, time.monotonic())
        self._tally.dropped += self._publisher.dropped - dropped
        self._station.advance()
        return written

    def mark(self) -> Mark:
        """How far it has got."""
        return Mark(self._station, self._publisher.way.outlet)

    def ended(self) -> None:
        """Nothing is laid aside any more: what is published goes to the window again."""
        if self.here:
            self._station.core.spill_ended(self.number)

    def forget(self) -> None:
        """The publisher is not needed any more."""
        if self.here:
            self._station.participant.forget_publisher(self.number, time.monotonic())
            self._station.advance()
