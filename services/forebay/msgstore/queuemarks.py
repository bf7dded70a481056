"""Small facts that a queue keeps beside its entries: the highest number taken from each publisher."""

from collections.abc import Iterator

from forebay.msgstore.queuerecord import encode_mark
from forebay.msgstore.record import Codec

NAMES = 10_000
"""Marks a queue; beyond it the one that was not set for longest goes."""


class QueueMarks:
    """Values by name; a value never goes down."""

    def __init__(self) -> None:
        self._values: dict[bytes, int] = {}
        self.behind: list[range] = []
        """At the start: sequence numbers that were published behind the last mark that was news."""

    def set(self, name: bytes, value: int) -> None:
        """Raise a mark; the name counts as used last."""
        self._values[name] = max(value, self._values.pop(name, 0))
        if len(self._values) > NAMES:
            del self._values[next(iter(self._values))]

    def restore(self, name: bytes, value: int) -> None:
        """The journal has this mark."""
        if value > self._values.get(name, -1):
            self.behind.clear()
        self.set(name, value)

    def published(self, seq: int) -> None:
        """The journal has this entry."""
        if self.behind and self.behind[-1].stop == seq:
            self.behind[-1] = range(self.behind[-1].start, seq + 1)
        else:
            self.behind.append(range(seq, seq + 1))

    def values(self) -> dict[bytes, int]:
        """All of them, the one not set for longest first."""
        return dict(self._values)

    def records(self, codec: Codec) -> Iterator[bytes]:
        """All of them for a new journal."""
        return (encode_mark(codec, name, value) for name, value in self._values.items())
