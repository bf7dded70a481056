"""One conduit's way out for many writers: in order, and with the writes that wait for room."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from forebay.conduit.core.conduits.publisher import Congestion, Publisher, Write
from forebay.conduit.core.errors import WindowFullError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.conduit.core.conduits.forms import Form
    from forebay.conduit.core.conduits.transmit import TransmitConduit

T = TypeVar("T")

MOST_BLOCKED = 1024
"""Writes that may wait for one conduit; more of publishers are errors."""


class _Blocked(NamedTuple):
    """A write that waits, and how the rest of it is written."""

    write: Write
    resume: Callable[[float], int]
    publisher: Publisher | None


class Outlet:
    """The writers of one conduit."""

    __slots__ = ("_blocked", "conduit")

    def __init__(self, conduit: TransmitConduit) -> None:
        self.conduit = conduit
        self._blocked: deque[_Blocked] = deque()

    @property
    def blocked(self) -> bool:
        """Whether writes wait for room."""
        return bool(self._blocked)

    @property
    def due(self) -> float:
        """When there is something to do: at once, if writes wait although there is room."""
        if not self._blocked:
            return self.conduit.due
        if self.conduit.window.free_samples:
            return -inf
        return min(self.conduit.due, min(each.write.deadline for each in self._blocked))

    def has_room(self, samples: int, octets: int) -> bool:
        """Whether that many would be written without having to wait."""
        window = self.conduit.window
        return not self._blocked and samples <= window.free_samples and octets <= window.free_octets

    def publish(
        self, publisher: Publisher, samples: Sequence[bytes], now: float, spill: Callable[[Sequence[bytes]], None]
    ) -> Write:
        """Write samples as the publisher's congestion says; `spill` lays samples aside.

        Raises `SampleTooLargeError`, and `WindowFullError`.
        """
        settings = publisher.settings
        self.conduit.check(publisher.form, samples)
        if not settings.reliable:
            self.conduit.send(publisher.form, samples, now)
            return self._sent(publisher, samples)
        if settings.congestion is Congestion.BLOCK:
            if len(self._blocked) >= MOST_BLOCKED:
                raise WindowFullError(self.conduit.conduit, 0, len(samples))
            return self._write(publisher.form, samples, now, now + settings.deadline, publisher)
        write = Write(samples)
        if not publisher.spilling and not self._blocked:
            write.written = self.conduit.write(publisher.form, samples, now)
            publisher.written += write.written
        if write.pending:
            publisher.congested(write, samples[write.written :], self.conduit.conduit, spill)
        return write

    def unspill(self, publisher: Publisher, samples: Sequence[bytes], now: float) -> int:
        """Write samples that had been laid aside; returns how many the window took."""
        written = 0 if self._blocked else self.conduit.write(publisher.form, samples, now)
        publisher.written += written
        return written

    def write(self, form: Form[T], items: Sequence[T], now: float) -> Write:
        """Write what is no publisher's; it waits for room as long as it takes. Raises `SampleTooLargeError`."""
        self.conduit.check(form, items)
        return self._write(form, items, now, inf, None)

    def resume(self, now: float) -> None:
        """Go on with the writes that wait, and give up those whose time has passed."""
        blocked = self._blocked
        if not blocked:
            return
        for late in [each for each in blocked if each.write.deadline <= now]:
            blocked.remove(late)
            self._expire(late)
        while blocked:
            first = blocked[0]
            written = first.resume(now)
            first.write.written += written
            if first.publisher:
                first.publisher.written += written
            if first.write.pending:
                return
            blocked.popleft()
            first.write.done(first.write)

    def abandon(self) -> None:
        """The conduit is no more: nothing waits for it any longer."""
        while self._blocked:
            self._expire(self._blocked.popleft())

    def _write(
        self, form: Form[T], items: Sequence[T], now: float, deadline: float, publisher: Publisher | None
    ) -> Write:
        write = Write(items, deadline)
        conduit = self.conduit
        if not self._blocked:
            write.written = conduit.write(form, items, now)
        if publisher:
            publisher.written += write.written
        if write.pending:
            self._blocked.append(
                _Blocked(write, lambda later: conduit.write(form, items[write.written :], later), publisher)
            )
        return write

    def _sent(self, publisher: Publisher, samples: Sequence[bytes]) -> Write:
        write = Write(samples)
        write.written = len(samples)
        publisher.written += len(samples)
        return write

    def _expire(self, late: _Blocked) -> None:
        late.write.expired = late.write.pending
        if late.publisher:
            late.publisher.expired += late.write.expired
        late.write.done(late.write)
