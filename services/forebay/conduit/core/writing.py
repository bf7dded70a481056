"""Publishers, and which way their samples go."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.forms import MESSAGE_FORM
from forebay.conduit.core.conduits.outlet import MOST_BLOCKED
from forebay.conduit.core.conduits.publisher import Congestion, Publisher, Write
from forebay.conduit.core.conduits.way import MOST_HELD, Held
from forebay.conduit.core.errors import ConduitError, UnknownPublisherError, WindowFullError
from forebay.conduit.core.loopback import Loopback
from forebay.conduit.core.slots import Slots
from forebay.conduit.core.wire.messages import WriteData

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.conduit.core.conduits.outlet import Outlet
    from forebay.conduit.core.conduits.publisher import PublisherSettings
    from forebay.conduit.core.conduits.transmission import Transmission
    from forebay.conduit.core.declarations.register import Register
    from forebay.conduit.core.listener import Listener
    from forebay.conduit.core.subscribers import Guard

LOOK_AGAIN = 0.002
"""Seconds between two looks whether what waits for another way may go it."""


class Writing:
    """All publishers of a node. `admits` may be called by any thread, the rest by the one that writes."""

    def __init__(
        self,
        transmission: Transmission,
        declarations: Register,
        listener: Listener,
        collect: Callable[[Outlet, float], None],
        wake: Callable[[], None],
        own_id: bytes,
    ) -> None:
        """`collect` takes away what is to be sent; `wake`: housekeeping is due."""
        self.loopback = Loopback(own_id, self.admits, wake)
        self._transmission = transmission
        self._declarations = declarations
        self._listener = listener
        self._collect = collect
        self._wake = wake
        self._publishers: Slots[Publisher] = Slots()
        self._spilling: set[int] = set()
        self._holding: set[int] = set()

    def publish(self, settings: PublisherSettings, now: float, *, named: bool) -> int:
        """See `Node.publish`."""
        self._transmission.outlet(settings.conduit)
        publisher = self._publishers.add(lambda number: Publisher(number, settings))
        publisher.way.named = named
        if named:
            self._declarations.publish(settings, now)
        return publisher.number

    def name(self, number: int, rid: int, now: float) -> None:
        """See `Node.name`."""
        publisher = self.publisher(number)
        publisher.name(rid)
        publisher.way.named = True
        self._declarations.publish(publisher.settings, now)
        self.housekeep(now)

    def unpublish(self, number: int, now: float) -> None:
        """See `Node.unpublish`."""
        publisher = self.publisher(number)
        if publisher.way.named:
            self._declarations.unpublish(publisher.settings, now)
        self._publishers.remove(number)
        self._spilling.discard(number)
        self._holding.discard(number)
        while publisher.way.held:
            publisher.way.held.popleft().write.drop()

    def publisher(self, number: int) -> Publisher:
        """See `Node.publisher`."""
        publisher = self._publishers.get(number)
        if publisher is None:
            raise UnknownPublisherError(f"there is no publisher {number}: declare one")
        return publisher

    def write(self, number: int, samples: Sequence[bytes], now: float) -> Write:
        """See `Node.write`."""
        publisher = self.publisher(number)
        if publisher.way.held or not self._is_open(publisher, now):
            return self._hold(publisher, samples, now)
        return self._write(publisher, samples, now)

    def write_uri(self, uri: str, samples: Sequence[bytes], now: float, conduit: int, *, reliable: bool) -> Write:
        """See `Node.write_uri`."""
        outlet = self._transmission.outlet(conduit)
        messages = [WriteData(conduit, reliable, False, 0, uri, sample) for sample in samples]
        large = outlet.check(MESSAGE_FORM, messages)
        reach = self._declarations.directory.reach_uri(uri)
        if reliable and (outlet.waiting >= MOST_BLOCKED or (reach.own and not self.loopback.has_room(uri))):
            raise WindowFullError(conduit, 0, len(samples))
        if reach.own:
            look_up = partial(self._declarations.directory.reach_uri, uri)
            self.loopback.add(uri, 0, look_up, samples, reliable=reliable)
        self._declarations.keep_uri(reach, uri, samples, now)
        if not reach.peers or (conduit < 0 and -conduit - 1 not in reach.peers):
            return _nowhere(samples)
        if reliable:
            write = outlet.write(MESSAGE_FORM, messages, now)
        else:
            outlet.send(MESSAGE_FORM, messages, now, large=large)
            write = _nowhere(samples)
        self._collect(outlet, now)
        return write

    def unspill(self, number: int, samples: Sequence[bytes], now: float) -> int:
        """See `Node.unspill`."""
        publisher = self.publisher(number)
        written = 0
        if self._is_open(publisher, now) and self.loopback.has_room(publisher):
            outlet = publisher.way.outlet
            if outlet is None:
                written = len(samples)
            else:
                written = self._transmission.use(outlet).unspill(publisher, samples, now)
                self._collect(outlet, now)
            self._accepted(publisher, samples[:written])
        if written < len(samples):
            self._spilling.add(number)
        return written

    def spill_ended(self, number: int) -> None:
        """See `Node.spill_ended`."""
        self.publisher(number).spilling = False
        self._spilling.discard(number)

    def admits(self, guard: Guard) -> bool:
        """See `Node.admits`."""
        needed: defaultdict[Outlet, list[int]] = defaultdict(list)
        for number, octets in guard:
            publisher = self._publishers.get(number)
            if publisher is None or (conduit := self._declarations.route(publisher.settings)) is None:
                continue
            if (outlet := self._transmission.find(conduit)) is not None:
                size = publisher.form.size(octets, outlet.conduit.numbers.octets)
                # A larger one goes in pieces: it begins in an empty window.
                needed[outlet].append(min(size, outlet.conduit.settings.window_octets))
        return all(outlet.has_room(len(sizes), sum(sizes)) for outlet, sizes in needed.items())

    def housekeep(self, now: float) -> None:
        """Hand over what own subscribers get, and write what had to wait for its way."""
        self.loopback.housekeep(now)
        for number in list(self._holding):
            publisher = self.publisher(number)
            held = publisher.way.held
            while held and held[0].write.deadline <= now:
                held.popleft().write.expire()
            if held and self._is_open(publisher, now):
                self._release(publisher, now)
            if not held:
                self._holding.discard(number)

    def due(self, now: float) -> float:
        """When `housekeep` has something to do."""
        return min(self.loopback.due(), now + LOOK_AGAIN if self._holding else inf)

    def tell_of_room(self) -> None:
        """Once each time the window was full."""
        for number in list(self._spilling):
            publisher = self.publisher(number)
            outlet = publisher.way.outlet
            if (outlet is None or outlet.has_room(1, 1)) and self.loopback.has_room(publisher):
                self._spilling.discard(number)
                self._listener.room(number)

    def _is_open(self, publisher: Publisher, now: float) -> bool:
        """Whether its samples may go their way."""
        blocks = publisher.settings.reliable and publisher.settings.congestion is Congestion.BLOCK
        if not publisher.way.named or (blocks and not self.loopback.has_room(publisher)):
            return False
        conduit = self._declarations.route(publisher.settings)
        outlet = None if conduit is None else self._transmission.find(conduit)
        reach = self._declarations.own.reach(publisher.settings.rid)
        if reach.catching_up:
            return False
        old = publisher.way.outlet
        if outlet is None or not publisher.way.changes(outlet, reach.peers, now):
            return True
        if old and self._transmission.has(old):
            # What is waited for may have been waiting for others to share its datagram.
            self._collect(old, now)
        return False

    def _write(self, publisher: Publisher, samples: Sequence[bytes], now: float) -> Write:
        settings, outlet = publisher.settings, publisher.way.outlet
        if settings.reliable and not self.loopback.has_room(publisher):
            write = Write(samples)
            publisher.congested(write, samples, settings.conduit, lambda rest: self._spill(publisher.number, rest))
            return write
        unheard = outlet is None or self._declarations.route(settings) is None
        checked = self._transmission.find(settings.conduit) if unheard else outlet
        if checked:
            # Also what nobody hears, so that a writer learns of it at once.
            checked.check(publisher.form, samples)
        self._declarations.keep(self._declarations.own.reach(settings.rid), settings.rid, samples, now)
        if outlet is None or unheard:
            self._accepted(publisher, samples)
            return _nowhere(samples)
        return self._publish(publisher, self._transmission.use(outlet), samples, now)

    def _publish(self, publisher: Publisher, outlet: Outlet, samples: Sequence[bytes], now: float) -> Write:
        try:
            write = outlet.publish(publisher, samples, now, lambda rest: self._spill(publisher.number, rest))
        except WindowFullError as error:
            self._accepted(publisher, samples[: error.accepted])
            raise
        finally:
            self._collect(outlet, now)
        publisher.way.used(write)
        # What waits for room in a window is the node's own subscribers' already: peers do not hold them up.
        self._accepted(publisher, samples[: write.written + write.pending])
        return write

    def _accepted(self, publisher: Publisher, samples: Sequence[bytes]) -> None:
        """Those who get them without a window, or later."""
        rid = publisher.settings.rid
        if publisher.settings.history and publisher.settings.reliable:
            self._declarations.histories.keep(rid, samples)
        if self._declarations.own.reach(rid).own:
            look_up = partial(self._declarations.own.reach, rid)
            self.loopback.add(publisher, rid, look_up, samples, reliable=publisher.settings.reliable)

    def _hold(self, publisher: Publisher, samples: Sequence[bytes], now: float) -> Write:
        held = publisher.way.held
        if len(held) >= MOST_HELD:
            raise WindowFullError(publisher.settings.conduit, 0, len(samples))
        self._transmission.outlet(publisher.settings.conduit).check(publisher.form, samples)
        write = Write(samples, now + publisher.settings.deadline)
        held.append(Held(write, samples))
        self._holding.add(publisher.number)
        self._wake()
        return write

    def _release(self, publisher: Publisher, now: float) -> None:
        held = publisher.way.held
        while held:
            write, samples = held.popleft()
            try:
                write.follow(self._write(publisher, samples, now))
            except ConduitError as error:
                write.fail(error)

    def _spill(self, number: int, samples: Sequence[bytes]) -> None:
        self._listener.spill(number, samples)
        self._spilling.add(number)


def _nowhere(samples: Sequence[bytes]) -> Write:
    """A write that there is nothing to wait for."""
    write = Write(samples)
    write.written = len(samples)
    return write
