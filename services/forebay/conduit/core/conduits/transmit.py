"""One conduit as its sender sees it: numbers, window, members, packing, and the answers to acknowledgements."""

from __future__ import annotations

from math import inf
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from forebay.conduit.core.conduits.forms import Form, within
from forebay.conduit.core.conduits.members import Members
from forebay.conduit.core.conduits.numbers import Numbers
from forebay.conduit.core.conduits.packer import Packer, asking, pack
from forebay.conduit.core.conduits.synchtimer import SynchTimer
from forebay.conduit.core.conduits.transmitwindow import TransmitWindow
from forebay.conduit.core.errors import SampleTooLargeError
from forebay.conduit.core.wire.encoder import conduit_marker, encode_synch
from forebay.conduit.core.wire.messages import Synch
from forebay.conduit.core.wire.vle import vle_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.conduits.settings import ConduitSettings

T = TypeVar("T")

ENCODED_AT_ONCE = 256
ASKS_A_WINDOW = 4
"""How often an acknowledgement is asked for while one window's octets go out."""


class Outgoing(NamedTuple):
    """A datagram on its way out."""

    peer: int | None
    """Index of the peer that it is for; None: all of them."""
    datagram: bytes


class TransmitConduit:
    """A conduit to one peer or to all of them.

    One thread writes and keeps house. Acknowledgements may come on another: they move nothing but the window's base.
    """

    def __init__(
        self, conduit: int, settings: ConduitSettings, first: int, *, peer: int | None = None, shared: bool = True
    ) -> None:
        """`first`: number of the first sample; `peer`: the only one it is for; `shared`: a datagram reaches all."""
        self.conduit = conduit
        self.peer = peer
        self.settings = settings
        self.numbers = Numbers(settings.number_bits)
        self.members = Members()
        self.window = TransmitWindow(settings.window_octets, settings.window_samples, first, settings.drain_to)
        self.repeated = 0
        """Samples that were sent again."""
        self.synchs = 0
        """SYNCHs that were sent because nobody answered, or because a window was full."""
        self._shared = shared
        self._marker = conduit_marker(conduit)
        self._packer = Packer(
            self._marker, settings.mtu, settings.latency_budget, settings.window_octets // ASKS_A_WINDOW
        )
        self._timer = SynchTimer(settings.synch_interval, settings.synch_longest)
        self._floor = Lock()
        self._apart: list[Outgoing] = []
        self._unreliable = first
        self._repeats: dict[tuple[int | None, int], float] = {}
        self._answers: dict[int, float] = {}
        self.number_octets = vle_size(self.numbers.mask)
        """Octets that a number takes at most."""

    @property
    def due(self) -> float:
        """When `housekeep` has something to do."""
        return min(self._packer.due, self._timer.due)

    @property
    def idle(self) -> bool:
        """Whether nothing is to be sent, and nothing waits for acknowledgement."""
        return not self.window.unacknowledged and self._packer.empty and not self._apart

    @property
    def sent(self) -> int:
        """The number after the last reliable sample that went out."""
        return self.window.next - self._packer.unsent

    def check(self, form: Form[T], items: Sequence[T]) -> None:
        """Raises `SampleTooLargeError` when one of the items can never be sent."""
        size = form.largest(items, self.number_octets)
        if size > self.settings.mtu - len(self._marker):
            raise SampleTooLargeError(size, self.settings.mtu - len(self._marker), "mtu")
        if size > self.settings.window_octets:
            raise SampleTooLargeError(size, self.settings.window_octets, "window_octets")

    def write(self, form: Form[T], items: Sequence[T], now: float) -> int:
        """Send reliable samples; returns how many the window took. One that it did not take makes it drain."""
        if not self.members:
            return len(items)
        window, written = self.window, 0
        while written < len(items) and (room := window.free_samples):
            # Not all at once: what does not fit would be encoded for nothing.
            some = items[written : written + min(room, ENCODED_AT_ONCE)]
            messages = within(form.encode(window.next, self.numbers, some), window.free_octets)
            window.append(messages)
            self._packer.add_reliable(messages, now)
            written += len(messages)
            if len(messages) < len(some):
                break
        if self._packer.full:
            self._timer.start(now)
        if written < len(items) and not window.draining:
            window.draining = True
            self._synch(now)
        return written

    def send(self, form: Form[T], items: Sequence[T], now: float) -> None:
        """Send unreliable samples."""
        if self.members:
            messages = form.encode(self._unreliable, self.numbers, items)
            self._unreliable += len(items)
            self._packer.add(messages, now)

    def flush(self, now: float) -> None:
        """What waits for others to share its datagram goes out."""
        self._packer.close()
        if self.window.unacknowledged:
            self._timer.start(now)

    def take(self) -> list[Outgoing]:
        """The datagrams that are to be sent now."""
        full, self._packer.full = self._packer.full, []
        found, self._apart = [*(Outgoing(self.peer, datagram) for datagram in full), *self._apart], []
        return found

    def join(self, peer: int, now: float) -> None:
        """The peer gets everything from now on, and is told so."""
        self.flush(now)
        with self._floor:
            self.members.join(peer, self.window.next)
        self._apart.append(Outgoing(peer, self._marker + self._synch_message(self.window.next)))

    def leave(self, peer: int) -> None:
        """The peer gets nothing any more, and holds nothing up."""
        with self._floor:
            self.members.leave(peer)
            self._answers.pop(peer, None)
            self._release()

    def housekeep(self, now: float) -> list[Outgoing]:
        """Send what has waited long enough, and a SYNCH to whom owes an acknowledgement."""
        if now >= self._packer.due:
            self.flush(now)
        found = self.take()
        if self.sent > self.window.base:
            # An acknowledgement may have stopped the timer just when the next sample started it.
            self._timer.start(now)
        if now >= self._timer.due:
            found += self._remind(now)
        return found

    def acknowledge(self, peer: int, number: int, mask: int | None, now: float) -> list[Outgoing]:
        """What to answer to an acknowledgement, or to a request for samples: the samples, or how far they go."""
        if peer not in self.members:
            return []
        window = self.window
        number = self.numbers.after(number, window.base)
        if number > self.sent:
            return self.inform(peer, now)
        acked = self.members.acked(peer)
        if number < acked:
            return []
        if number > acked:
            self._progress(peer, number, now)
        return [] if mask is None else self._repeat(peer, number, mask, now)

    def inform(self, peer: int, now: float) -> list[Outgoing]:
        """Tell one peer how far the numbers go, at most once a round trip."""
        if now - self._answers.get(peer, -inf) < self.settings.round_trip:
            return []
        self._answers[peer] = now
        return [Outgoing(peer, self._marker + self._synch_message(self.members.acked(peer)))]

    def _progress(self, peer: int, number: int, now: float) -> None:
        with self._floor:
            self.members.acknowledge(peer, number)
            self._release()
        if self.window.unacknowledged:
            self._timer.progressed(now)

    def _release(self) -> None:
        window = self.window
        floor = self.members.floor(window.next)
        if floor > window.base:
            window.release(floor)
        if not window.unacknowledged:
            self._timer.stop()

    def _repeat(self, peer: int, number: int, mask: int, now: float) -> list[Outgoing]:
        wanted = [number, *(number + 1 + bit for bit in range(mask.bit_length()) if mask >> bit & 1)]
        sent, base = self.sent, self.window.base
        there = [each for each in wanted if base <= each < sent]
        answer = self.inform(peer, now) if len(there) < len(wanted) else []
        target = self.peer if self.peer is not None or self._shared else peer
        samples = [self.window.samples(each, each + 1) for each in self._not_repeated(target, there, now)]
        if not samples:
            return answer
        self.repeated += len(samples)
        samples[-1] = asking(samples[-1])
        packed = pack(self._marker, samples, self.settings.mtu)
        return [*(Outgoing(target, datagram) for datagram in packed), *answer]

    def _not_repeated(self, target: int | None, numbers: list[int], now: float) -> list[int]:
        """Those that were not sent again just now: that repeat may still be on its way."""
        since = now - self.settings.round_trip
        self._repeats = recent = {key: at for key, at in self._repeats.items() if at > since}
        found = [number for number in numbers if (target, number) not in recent]
        recent.update(((target, number), now) for number in found)
        return found

    def _remind(self, now: float) -> list[Outgoing]:
        """A SYNCH to the one member that lags, or to all when several do."""
        lagging = self.members.lagging(self.sent)
        if not lagging:
            # All that is unacknowledged still waits in the open datagram.
            self._timer.stop()
            return []
        self._timer.sent(now)
        self.synchs += 1
        target = self.peer if self.peer is not None or len(lagging) != 1 else lagging[0]
        base = self.window.base if target is None else self.members.acked(lagging[0])
        return [Outgoing(target, self._marker + self._synch_message(base))]

    def _synch(self, now: float) -> None:
        """The window is full: ask for acknowledgements at once."""
        self._packer.close()
        self._packer.add([self._synch_message(self.window.base)], now)
        self.synchs += 1
        self.flush(now)

    def _synch_message(self, base: int) -> bytes:
        sent, out = self.sent, bytearray()
        encode_synch(out, Synch(self.conduit, True, True, sent & self.numbers.mask, sent - base))
        return bytes(out)
