"""Samples that are larger than a datagram: cut into pieces, and put together again, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.core.wire.vle import vle_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.wire.messages import Data, WriteData
    from forebay.conduit.core.wire.ownmessages import Fragment


class Lost(NamedTuple):
    """A sample of which pieces came, and which will not come whole."""

    base: int
    """Number of its first piece."""
    pieces: int
    """In all, as the sender told."""
    received: int
    """Of them."""
    reason: str
    """For people."""


def cut(payload: bytes, room: int) -> list[bytes]:
    """Pieces of a payload of at most `room` octets each, all but the last of the same size."""
    return [payload[at : at + room] for at in range(0, len(payload), room)]


def marker_size(base: int, pieces: int) -> int:
    """Octets of the marker that goes before each piece."""
    return 1 + vle_size(base) + vle_size(pieces)


class Reassembler:
    """The pieces that came over one channel of one peer, which hands them over in the order of their numbers.

    It keeps those of one sample, of at most `limit` octets: the pieces of a sample have numbers without a gap, so
    whatever else comes between them shows that the rest was lost. Each loss is told once, to `lost`. A sample that is
    whole is kept until it was `delivered`, since its last piece comes again when its subscriber refuses it.
    """

    __slots__ = ("_given_up", "_limit", "_lost", "_mask", "_payload", "_received", "_series", "_whole")

    def __init__(self, limit: int, number_bits: int, lost: Callable[[Lost], None]) -> None:
        self._limit = limit
        self._mask = (1 << number_bits) - 1
        self._lost = lost
        self._payload = bytearray()
        self._received = 0
        self._series: Fragment | None = None
        """The first piece of what is being put together."""
        self._given_up: int | None = None
        """Number of the first piece of what was lost last: more of its pieces may come."""
        self._whole: Data | WriteData | None = None

    @property
    def busy(self) -> bool:
        """Whether a sample is kept, or pieces of one."""
        return self._series is not None

    def begins(self, fragment: Fragment) -> bool:
        """Whether that is the first piece of a sample."""
        return fragment.number == fragment.base

    def add(self, fragment: Fragment) -> Data | WriteData | None:
        """Take the next piece; the whole sample with the last one, under the number of that."""
        place = (fragment.number - fragment.base) & self._mask
        if self._whole is not None:
            if self._whole.number == fragment.number:
                return self._whole
            self._clear()
        if place == 0:
            self.interrupted()
            self._series, self._given_up = fragment, None
        elif self._series is None or fragment.base != self._series.base:
            self._stray(fragment)
            return None
        return self._extend(self._series, fragment, place)

    def interrupted(self) -> None:
        """Something else came over the channel, or it was closed: what was begun is lost."""
        if self._whole is not None:
            self._clear()
        elif self._series is not None:
            self._give_up(self._series, "its other pieces did not come")

    def delivered(self) -> None:
        """The sample was taken."""
        self._clear()

    def _extend(self, first: Fragment, fragment: Fragment, place: int) -> Data | WriteData | None:
        fault = self._fault(first, fragment, place)
        if fault:
            self._give_up(first, fault)
            return None
        self._payload += fragment.piece.payload
        self._received += 1
        if self._received < first.pieces:
            return None
        self._whole = fragment.piece._replace(payload=bytes(self._payload))
        self._payload = bytearray()
        return self._whole

    def _fault(self, first: Fragment, fragment: Fragment, place: int) -> str:
        """Why the series can't be completed with this piece, if so."""
        size, usual = len(fragment.piece.payload), len(first.piece.payload)
        if not 2 <= first.pieces <= self._mask:
            return f"it is told to have {first.pieces} pieces"
        if usual and usual * (first.pieces - 1) >= self._limit:
            return f"it is larger than the {self._limit} octets that this node takes"
        if place != self._received:
            return f"piece {self._received} did not come"
        if fragment.pieces != first.pieces or size > usual or (size < usual and place != first.pieces - 1):
            return f"piece {place} does not fit to the first one"
        if len(self._payload) + size > self._limit:
            return f"it is larger than the {self._limit} octets that this node takes"
        return ""

    def _stray(self, fragment: Fragment) -> None:
        """A piece of a sample whose beginning did not come, or which was given up."""
        self.interrupted()
        if fragment.base != self._given_up:
            self._given_up = fragment.base
            self._lost(Lost(fragment.base, fragment.pieces, 0, "its first piece did not come"))

    def _give_up(self, first: Fragment, reason: str) -> None:
        self._given_up = first.base
        lost = Lost(first.base, first.pieces, self._received, reason)
        self._clear()
        self._lost(lost)

    def _clear(self) -> None:
        self._series, self._whole, self._received = None, None, 0
        self._payload = bytearray()
