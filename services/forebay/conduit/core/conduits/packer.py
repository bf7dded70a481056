"""Many messages in one datagram: what waits for others, and for how long it may."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.wire import header
from forebay.conduit.core.wire.vle import MORE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Packer:
    """The open datagram of one conduit, and those that are full.

    A datagram holds messages of one conduit only: its marker stands once, at the beginning, so that it does not matter
    whether a receiver applies a marker to one message or to all that follow.
    """

    __slots__ = (
        "_asking",
        "_budget",
        "_ends_reliable",
        "_marker",
        "_mtu",
        "_parts",
        "_size",
        "_unasked",
        "due",
        "full",
        "unsent",
    )

    def __init__(self, marker: bytes, mtu: int, budget: float, ask_every: int) -> None:
        """`budget` in seconds; after `ask_every` octets of reliable samples an acknowledgement is asked for."""
        self.full: list[bytes] = []
        """Datagrams that are complete, for the one who sends them to take away."""
        self.due = inf
        """When the open datagram has to go out."""
        self.unsent = 0
        """Reliable samples in the open datagram."""
        self._marker = marker
        self._mtu = mtu
        self._budget = budget
        self._asking = ask_every
        self._unasked = 0
        self._ends_reliable = False
        self._parts: list[bytes] = []
        self._size = len(marker)

    @property
    def empty(self) -> bool:
        """Whether nothing is to be sent."""
        return not self._parts and not self.full

    def add_reliable(self, samples: Sequence[bytes], now: float) -> None:
        """Add numbered messages that are kept in a window."""
        self._add(samples, now, reliable=True)

    def add(self, messages: Sequence[bytes], now: float) -> None:
        """Add messages that nobody acknowledges."""
        self._add(messages, now, reliable=False)

    def close(self) -> None:
        """The open datagram is complete, if there is anything in it."""
        parts = self._parts
        if not parts:
            return
        if self.unsent:
            self._ask()
        self.full.append(self._marker + b"".join(parts))
        self._parts, self._size, self.unsent, self.due = [], len(self._marker), 0, inf

    def _ask(self) -> None:
        """From time to time the last sample asks; an unreliable one can't, its acknowledgement would say nothing."""
        self._unasked += self._size
        if self._unasked >= self._asking and self._ends_reliable:
            self._parts[-1] = asking(self._parts[-1])
            self._unasked = 0

    def _add(self, messages: Sequence[bytes], now: float, *, reliable: bool) -> None:
        position = 0
        while position < len(messages):
            count = self._fitting(messages, position)
            self._parts += messages[position : position + count]
            position += count
            if count:
                self._ends_reliable = reliable
                self.unsent += count if reliable else 0
            if position < len(messages):
                self.close()
        if self._budget <= 0:
            self.close()
        elif self.due == inf:
            self.due = now + self._budget

    def _fitting(self, messages: Sequence[bytes], position: int) -> int:
        """How many messages from there on go into the open datagram; an empty one takes any first one."""
        size, mtu, count = self._size, self._mtu, 0
        for message in messages[position:] if position else messages:
            size += len(message)
            if size > mtu and (count or self._parts):
                break
            self._size = size
            count += 1
        return count


def pack(marker: bytes, messages: Iterable[bytes], mtu: int) -> list[bytes]:
    """Datagrams of these messages, in order."""
    packed: list[bytes] = []
    parts, size = [marker], len(marker)
    for message in messages:
        size += len(message)
        if size > mtu and len(parts) > 1:
            packed.append(b"".join(parts))
            parts, size = [marker], len(marker) + len(message)
        parts.append(message)
    return [*packed, b"".join(parts)] if len(parts) > 1 else packed


def asking(sample: bytes) -> bytes:
    """The same reliable sample with the request to acknowledge it at once."""
    kind = sample[0] & header.ID_MASK
    if kind == header.MIGRATE:
        return sample
    at = _behind_marker(sample) if kind == header.FRAGMENT else 0
    return sample[:at] + bytes((sample[at] | header.S,)) + sample[at + 1 :]


def _behind_marker(piece: bytes) -> int:
    """Where the message begins that the marker of a fragment goes with: behind two numbers."""
    at = 1
    for _ in range(2):
        while piece[at] & MORE:
            at += 1
        at += 1
    return at
