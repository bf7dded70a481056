"""What a conduit has sent and not seen acknowledged: the samples themselves, end to end in one ring of octets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class TransmitWindow:
    """Samples by number, as they are on the wire.

    There are no lengths in the ring: an index tells where each sample begins, also the one that is not there yet, so
    that a sample ends where the next one begins. Numbers and positions are not wrapped. Only the sender moves `next`
    and `end`, only acknowledgements move `base` and `start`; either may look at the other's at any time, for space can
    but grow beside a sender.
    """

    __slots__ = ("_index", "_octets", "_ring", "_samples", "_settled", "base", "draining", "end", "next", "start")

    def __init__(self, octets: int, samples: int, first: int, drain_to: float = 0.0) -> None:
        """`first` is the number of the first sample."""
        self.base = first
        """The first number that is not acknowledged."""
        self.next = first
        """The number of the sample that will be written next."""
        self.start = 0
        self.end = 0
        self.draining = False
        """The window was full and takes nothing until it has drained."""
        self._octets = octets
        self._samples = samples
        self._settled = int(octets * drain_to)
        self._index = [0] * (samples + 1)
        # Most peers never get a sample by their own conduit: the ring comes with the first one.
        self._ring = bytearray()

    @property
    def unacknowledged(self) -> int:
        """Samples that wait for acknowledgement."""
        return self.next - self.base

    @property
    def used(self) -> int:
        """Octets that wait for acknowledgement."""
        return self.end - self.start

    @property
    def free_samples(self) -> int:
        """Samples that a sender may add; 0 while the window drains."""
        return 0 if self._drains() else self._samples - self.unacknowledged

    @property
    def free_octets(self) -> int:
        """Octets that a sender may add; 0 while the window drains."""
        return 0 if self._drains() else self._octets - self.used

    def append(self, samples: Sequence[bytes]) -> None:
        """Add samples that fit."""
        if not self._ring:
            self._ring = bytearray(self._octets)
        index, slots, number, end = self._index, self._samples + 1, self.next, self.end
        index[number % slots] = end
        for sample in samples:
            number += 1
            end += len(sample)
            index[number % slots] = end
        self._copy(b"".join(samples))
        self.end, self.next = end, number

    def release(self, number: int) -> None:
        """Forget the samples before `number`, which is in the window or the next one."""
        start = self._index[number % (self._samples + 1)]
        # In this order, a sender that looks between the two sees too little space rather than too much.
        self.start = start
        self.base = number

    def samples(self, first: int, stop: int) -> bytes:
        """The samples from `first` to before `stop`, both within the window."""
        slots = self._samples + 1
        return self._slice(self._index[first % slots], self._index[stop % slots])

    def _drains(self) -> bool:
        if self.draining and self.used <= self._settled:
            self.draining = False
        return self.draining

    def _copy(self, octets: bytes) -> None:
        at = self.end % self._octets
        room = self._octets - at
        self._ring[at : at + len(octets[:room])] = octets[:room]
        if len(octets) > room:
            self._ring[: len(octets) - room] = octets[room:]

    def _slice(self, first: int, stop: int) -> bytes:
        at, length = first % self._octets, stop - first
        piece = bytes(self._ring[at : at + length])
        return piece if len(piece) == length else piece + bytes(self._ring[: length - len(piece)])
