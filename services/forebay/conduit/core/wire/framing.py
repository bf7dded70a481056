"""Datagrams in a stream, as over TCP: each goes behind its length as a number of variable length.

The protocol lets a length of 0 stand for a stream without any further lengths; that is refused here, since nothing
would bound what an unfinished message holds.
"""

from __future__ import annotations

from forebay.conduit.core.wire.messages import Malformed
from forebay.conduit.core.wire.vle import MORE, vle

MAX_FRAME = 65_535
"""Octets of the longest datagram, as over UDP."""
_LENGTH_OCTETS = 3
"""Of the longest length that is taken."""


def frame(datagram: bytes) -> bytes:
    """A datagram as it goes into a stream."""
    return vle(len(datagram)) + datagram


class FrameBuffer:
    """What came over one stream and is no whole datagram yet: at most one, whatever the other end sends."""

    __slots__ = ("_limit", "_octets", "_passed", "fault")

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._octets = bytearray()
        self._passed = 0
        """Octets of whole datagrams and their lengths before this one."""
        self.fault: Malformed | None = None
        """Why nothing more can be read of the stream: its session has to be closed. The offset is the stream's."""

    def feed(self, octets: bytes) -> list[bytes]:
        """Take what came; return the datagrams that are whole now. After a fault nothing is taken."""
        if self.fault is not None:
            return []
        self._octets += octets
        found, at = self._whole()
        del self._octets[:at]
        self._passed += at
        if self.fault is not None:
            self._octets.clear()
        return found

    def end(self) -> Malformed | None:
        """The stream has ended: what is wrong with it, such as a datagram that was cut short."""
        if self.fault is None and self._octets:
            self.fault = Malformed(self._passed, f"the stream ends after {len(self._octets)} octets of a datagram")
        return self.fault

    def _whole(self) -> tuple[list[bytes], int]:
        found: list[bytes] = []
        data, at = bytes(self._octets), 0
        while (length := self._length(data, at)) is not None:
            start = at + length[0]
            end = start + length[1]
            if end > len(data):
                break
            found.append(data[start:end])
            at = end
        return found, at

    def _length(self, data: bytes, at: int) -> tuple[int, int] | None:
        """How many octets the length at `at` takes, and what it is; None when it is not there, or is a fault."""
        head = data[at : at + _LENGTH_OCTETS]
        size = next((index + 1 for index, octet in enumerate(head) if octet < MORE), 0)
        if not size and len(head) < _LENGTH_OCTETS:
            return None
        length = sum((octet & 0x7F) << 7 * index for index, octet in enumerate(head[:size]))
        if not size or not head[size - 1] or length > self._limit:
            reason = f"a length of a datagram in the stream is not 1 to {self._limit}"
            self.fault = Malformed(self._passed + at, reason)
            return None
        return size, length
