"""One conduit as its sender sees it: numbers, window, members, packing, and the answers to acknowledgements."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from forebay.conduit.core.conduits.cutter import Cutter
from forebay.conduit.core.conduits.forms import Form, within
from forebay.conduit.core.conduits.members import Members
from forebay.conduit.core.conduits.numbers import Numbers
from forebay.conduit.core.conduits.outgoing import Outgoing
from forebay.conduit.core.conduits.packer import Packer, asking, pack
from forebay.conduit.core.conduits.recent import Recent
from forebay.conduit.core.conduits.synchtimer import SynchTimer
from forebay.conduit.core.conduits.transmitwindow import TransmitWindow
from forebay.conduit.core.wire.encoder import conduit_marker, encode_synch
from forebay.conduit.core.wire.messages import Synch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.conduits.settings import ConduitSettings

T = TypeVar("T")

ASKS_A_WINDOW = 4
"""How often an acknowledgement is asked for while one window's octets go out."""
ENCODED_AT_ONCE = 256
SYNCH = -1
"""Stands for a SYNCH among the numbers of what was sent again."""


class TransmitConduit:
    """A conduit to one peer or to all of them.

    One thread writes and keeps house. Acknowledgements may come on another: they move nothing but the window's base.
    """

    def __init__(
        self,
        conduit: int,
        settings: ConduitSettings,
        first: int,
        *,
        peer: int | None = None,
        shared: bool = True,
        largest: int = 0,
    ) -> None:
        """`first`: number of the first sample; `peer`: the only one it is for; `shared`: a datagram reaches all.

        `largest`: octets of the largest sample that goes in pieces while there are no members.
        """
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
        asks_every = settings.window_octets // ASKS_A_WINDOW
        self._packer = Packer(self._marker, settings.mtu, settings.latency_budget, asks_every)
        self._timer = SynchTimer(settings.synch_interval, settings.synch_longest)
        self._floor = Lock()
        self._apart: list[Outgoing] = []
        self._unreliable = first
        self._recent: Recent[tuple[int | None, int]] = Recent(settings.round_trip)
        self._joining: dict[int, None] = {}
        self.cutter = Cutter(settings, len(self._marker), self.numbers, largest, first)

    @property
    def due(self) -> float:
        """When `housekeep` has something to do."""
        return min(self._packer.due, self._timer.due)

    @property
    def idle(self) -> bool:
        """Whether nothing is to be sent, and nothing waits for acknowledgement."""
        return not self.window.unacknowledged and self._packer.empty and not self._apart and not self._joining

    @property
    def sent(self) -> int:
        """The number after the last reliable sample that went out."""
        return self.window.next - self._packer.unsent

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
        if written < len(items):
            self._drain(now)
        return written

    def write_one(self, form: Form[T], item: T, now: float) -> bool:
        """Send one that may have to be cut; whether it was taken. It is when the first piece is, as one sample."""
        message = None if self.cutter.fits(form, item) else form.message(item)
        if message is None or not self.members:
            return bool(self.write(form, [item], now))
        if not self.window.free_samples:
            self._drain(now)
            return False
        self.cutter.begin(message, self.window.next)
        self.proceed(now)
        return True

    def proceed(self, now: float) -> None:
        """Go on with the sample that goes out in pieces; who had to wait for its end joins then."""
        window, cutter = self.window, self.cutter
        while messages := cutter.take(min(window.free_samples, ENCODED_AT_ONCE), window.free_octets):
            window.append(messages)
            self._packer.add_reliable(messages, now)
        if self._packer.full:
            self._timer.start(now)
        if cutter.unfinished:
            self._drain(now)
        elif self._joining:
            self.flush(now)
            self._set_apart()
            while self._joining:
                self._admit(self._joining.popitem()[0])

    def send(self, form: Form[T], items: Sequence[T], now: float) -> None:
        """Send unreliable samples."""
        if self.members:
            messages = form.encode(self._unreliable, self.numbers, items)
            self._unreliable += len(items)
            self._packer.add(messages, now)

    def send_one(self, form: Form[T], item: T, now: float) -> None:
        """Send one that may have to be cut: all pieces go at once, and without one of them the sample is lost."""
        message = None if self.cutter.fits(form, item) else form.message(item)
        if message is None or not self.members:
            self.send(form, [item], now)
            return
        pieces = self.cutter.pieces(message, self._unreliable)
        self._unreliable += len(pieces)
        self._packer.add(pieces, now)
        # None waits in a datagram that somebody might get who has not agreed on pieces.
        self._packer.close()

    def flush(self, now: float) -> None:
        """What waits for others to share its datagram goes out."""
        self._packer.close()
        if self.window.unacknowledged:
            self._timer.start(now)

    def take(self) -> list[Outgoing]:
        """The datagrams that are to be sent now."""
        if self._joining:
            self._set_apart()
        full, self._packer.full = self._packer.full, []
        apart, self._apart = self._apart, []
        return [*(Outgoing(self.peer, datagram) for datagram in full), *apart]

    def join(self, peer: int, now: float, largest: int = 0) -> None:
        """The peer gets everything from now on, and is told so; `largest`: see `Cutter.join`.

        Nobody joins within a sample that goes out in pieces: while one waits for its end, the others get copies.
        """
        self.flush(now)
        if self.cutter.end > self.window.base:
            self._set_apart()
        self.cutter.join(peer, largest)
        if self.cutter.unfinished:
            self._joining[peer] = None
        else:
            self._admit(peer)

    def leave(self, peer: int) -> None:
        """The peer gets nothing any more, and holds nothing up."""
        self._joining.pop(peer, None)
        self.cutter.leave(peer)
        with self._floor:
            self.members.leave(peer)
            self._release()
        if not self.members:
            self.cutter.give_up()

    def housekeep(self, now: float) -> list[Outgoing]:
        """Send what has waited long enough, and a SYNCH to whom owes an acknowledgement."""
        if now >= self._packer.due:
            self.flush(now)
        if self._joining:
            self.proceed(now)
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
        if not self._recent.new([(peer, SYNCH)], now):
            return []
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
        # There may be pieces in the window, and a member that takes none, since it came after them.
        shared = self._shared and (self.cutter.largest or self.cutter.end <= self.window.base)
        target = self.peer if self.peer is not None or shared else peer
        new = self._recent.new([(target, each) for each in there], now)
        samples = [self.window.samples(each, each + 1) for _, each in new]
        if not samples:
            return answer
        self.repeated += len(samples)
        samples[-1] = asking(samples[-1])
        packed = pack(self._marker, samples, self.settings.mtu)
        return [*(Outgoing(target, datagram) for datagram in packed), *answer]

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

    def _admit(self, peer: int) -> None:
        with self._floor:
            self.members.join(peer, self.window.next)
        self._apart.append(Outgoing(peer, self._marker + self._synch_message(self.window.next)))

    def _set_apart(self) -> None:
        """What is to be sent is for those who are members now, by a copy each."""
        full, self._packer.full = self._packer.full, []
        self._apart += [Outgoing(member, datagram) for datagram in full for member in self.members]

    def _drain(self, now: float) -> None:
        """The window is full: ask for acknowledgements at once."""
        if self.window.draining:
            return
        self.window.draining = True
        self._packer.close()
        self._packer.add([self._synch_message(self.window.base)], now)
        self.synchs += 1
        self.flush(now)

    def _synch_message(self, base: int) -> bytes:
        sent, out = self.sent, bytearray()
        encode_synch(out, Synch(self.conduit, True, True, sent & self.numbers.mask, sent - base))
        return bytes(out)
