"""Samples that are larger than a datagram, on their way out over one conduit in pieces, one sample after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from forebay.conduit.core.errors import SampleTooLargeError
from forebay.conduit.core.wire.encoder import encode, encode_fragment
from forebay.conduit.core.wire.fragments import cut
from forebay.conduit.core.wire.ownmessages import Fragment
from forebay.conduit.core.wire.vle import vle_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.conduits.forms import Form
    from forebay.conduit.core.conduits.numbers import Numbers
    from forebay.conduit.core.conduits.settings import ConduitSettings
    from forebay.conduit.core.wire.messages import Data, WriteData

T = TypeVar("T")


class Cutter:
    """Knows what members take, and keeps the one sample of which not all pieces are in the window.

    A conduit to several peers carries pieces only while each of its members has agreed on them: they are numbered, so
    nobody could pass over them. The largest sample is then the smallest that any of them takes.
    """

    __slots__ = ("_limit", "_name", "_numbers", "_own", "_series", "_takes", "end", "largest")

    def __init__(self, settings: ConduitSettings, marker: int, numbers: Numbers, own: int, end: int) -> None:
        """`marker`: octets that a datagram begins with; `own`: of the largest sample that goes in pieces while there
        are no members, 0: none does; `end` is where numbers begin.
        """
        self.largest = own
        """Octets of payload of the largest sample that goes in pieces; 0: none does."""
        self.end = end
        """The number after the last piece so far."""
        self._limit, self._name = min((settings.mtu - marker, "mtu"), (settings.window_octets, "window_octets"))
        self._numbers = numbers
        self._own = own
        self._takes: dict[int, int] = {}
        self._series: _Series | None = None

    @property
    def unfinished(self) -> bool:
        """Whether pieces of a sample wait for room in the window: nothing else may take a number before them."""
        return self._series is not None

    def join(self, peer: int, largest: int) -> None:
        """A peer takes samples of so many octets in pieces; 0: it takes no pieces."""
        self._takes[peer] = largest
        self._agree()

    def leave(self, peer: int) -> None:
        """It is a member no more."""
        self._takes.pop(peer, None)
        self._agree()

    def give_up(self) -> None:
        """Nobody is there any more for the rest of the sample that goes out."""
        self._series = None

    def is_large(self, form: Form[T], items: Sequence[T]) -> bool:
        """Whether an item does not fit into a datagram. Raises `SampleTooLargeError` when one can't go at all."""
        size = form.largest(items, self._numbers.octets)
        if size <= self._limit:
            return False
        for item in items:
            self._check(form, item)
        return True

    def fits(self, form: Form[T], item: T) -> bool:
        """Whether an item fits into one datagram."""
        return form.largest([item], self._numbers.octets) <= self._limit

    def pieces(self, message: Data | WriteData, first: int) -> list[bytes]:
        """All pieces of a sample, with the numbers from `first` on."""
        return _Series(message, self._room(message), first, self._numbers).take(self._numbers.mask, 1 << 62)

    def begin(self, message: Data | WriteData, first: int) -> None:
        """A sample is to go in pieces, with the numbers from `first` on."""
        self._series = _Series(message, self._room(message), first, self._numbers)
        self.end = first + self._series.count

    def take(self, count: int, octets: int) -> list[bytes]:
        """The next pieces, at most so many, and of so many octets together."""
        series = self._series
        if series is None:
            return []
        taken = series.take(count, octets)
        if not series.left:
            self._series = None
        return taken

    def _check(self, form: Form[T], item: T) -> None:
        size = form.largest([item], self._numbers.octets)
        if size <= self._limit:
            return
        message = form.message(item)
        room = self._room(message) if message else 0
        if message is None or not self.largest or room < 1:
            raise SampleTooLargeError(size, self._limit, self._name)
        most = min(self.largest, room * self._numbers.mask)
        if len(message.payload) > most:
            raise SampleTooLargeError(len(message.payload), most, "largest_sample")

    def _room(self, message: Data | WriteData) -> int:
        """Octets of payload of one piece, whatever its numbers are."""
        out = bytearray()
        encode(out, message._replace(number=0, payload=b""))
        # The number and the length have an octet each in that, here they may have more. Before it goes the marker.
        marker = 1 + 2 * self._numbers.octets
        return self._limit - marker - (len(out) - 2 + self._numbers.octets + vle_size(self._limit))

    def _agree(self) -> None:
        self.largest = min(self._takes.values(), default=self._own)


class _Series:
    """The pieces of one sample."""

    __slots__ = ("_base", "_message", "_numbers", "_pieces", "_place", "count")

    def __init__(self, message: Data | WriteData, room: int, base: int, numbers: Numbers) -> None:
        self._message = message
        self._numbers = numbers
        self._base = base
        self._pieces = cut(message.payload, room)
        self._place = 0
        self.count = len(self._pieces)

    @property
    def left(self) -> int:
        return self.count - self._place

    def take(self, count: int, octets: int) -> list[bytes]:
        taken: list[bytes] = []
        for piece in self._pieces[self._place : self._place + count]:
            message = self._encoded(self._place, piece)
            octets -= len(message)
            if octets < 0:
                break
            taken.append(message)
            self._place += 1
        return taken

    def _encoded(self, place: int, piece: bytes) -> bytes:
        mask, out = self._numbers.mask, bytearray()
        numbered = self._message._replace(number=self._base + place & mask, payload=piece)
        encode_fragment(out, Fragment(self._base & mask, self.count, numbered))
        return bytes(out)
