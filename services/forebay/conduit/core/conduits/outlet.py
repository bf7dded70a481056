"""One conduit's way out for many writers: in order, and with the writes that wait for room."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from forebay.conduit.core.conduits.publisher import Congestion, Publisher, Write
from forebay.conduit.core.errors import SampleTooLargeError, WindowFullError

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
    """Raises `SampleTooLargeError` when peers that have joined since do not take it."""
    publisher: Publisher | None


class Outlet:
    """The writers of one conduit."""

    __slots__ = ("_blocked", "_full_at", "conduit")

    def __init__(self, conduit: TransmitConduit) -> None:
        self.conduit = conduit
        self._blocked: deque[_Blocked] = deque()
        self._full_at = -1
        """The window's base when it had no room for what waits."""

    @property
    def blocked(self) -> bool:
        """Whether writes wait for room."""
        return bool(self._blocked) or self.conduit.cutter.unfinished

    @property
    def waiting(self) -> int:
        """How many writes wait for room."""
        return len(self._blocked)

    @property
    def due(self) -> float:
        """When there is something to do: at once, if writes wait although there is room."""
        if not self.blocked:
            return self.conduit.due
        if self.conduit.window.base != self._full_at and self.conduit.window.free_samples:
            return -inf
        return min(self.conduit.due, min((each.write.deadline for each in self._blocked), default=inf))

    def has_room(self, samples: int, octets: int) -> bool:
        """Whether that many would be written without having to wait."""
        window = self.conduit.window
        return not self.blocked and samples <= window.free_samples and octets <= window.free_octets

    def publish(
        self, publisher: Publisher, samples: Sequence[bytes], now: float, spill: Callable[[Sequence[bytes]], None]
    ) -> Write:
        """Write samples as the publisher's congestion says; `spill` lays samples aside.

        Raises `SampleTooLargeError`, and `WindowFullError`.
        """
        settings = publisher.settings
        large = self.check(publisher.form, samples)
        if not settings.reliable:
            self.send(publisher.form, samples, now, large=large)
            return self._sent(publisher, samples)
        if settings.congestion is Congestion.BLOCK:
            if len(self._blocked) >= MOST_BLOCKED:
                raise WindowFullError(self.conduit.conduit, 0, len(samples))
            return self._write(publisher.form, samples, now, now + settings.deadline, publisher, large=large)
        write = Write(samples)
        if not publisher.spilling and not self.blocked:
            write.written = self._put(publisher.form, samples, now, large=large)
            publisher.written += write.written
        if write.pending:
            publisher.congested(write, samples[write.written :], self.conduit.conduit, spill)
        return write

    def unspill(self, publisher: Publisher, samples: Sequence[bytes], now: float) -> int:
        """Write samples that had been laid aside; returns how many were taken.

        Those that peers which came in the meantime do not take are dropped.
        """
        if self.blocked:
            return 0
        form, fitting = publisher.form, samples
        if len(self.fitting(form, samples)) < len(samples):
            fitting = samples[: next(place for place, each in enumerate(samples) if not self._can_go(form, each))]
        written = self._put(form, fitting, now, large=self.check(form, fitting))
        publisher.written += written
        if written < len(fitting) or len(fitting) == len(samples):
            return written
        publisher.dropped += 1
        return written + 1

    def check(self, form: Form[T], items: Sequence[T]) -> bool:
        """Whether some of the items go in pieces. Raises `SampleTooLargeError` when one of them can never be sent."""
        return self.conduit.cutter.is_large(form, items)

    def write(self, form: Form[T], items: Sequence[T], now: float) -> Write:
        """Write what is no publisher's; it waits for room as long as it takes. Raises `SampleTooLargeError`."""
        return self._write(form, items, now, inf, None, large=self.check(form, items))

    def send(self, form: Form[T], items: Sequence[T], now: float, *, large: bool) -> None:
        """Write what nobody acknowledges; `large`: what `check` says."""
        if not large:
            self.conduit.send(form, items, now)
            return
        for item in items:
            self.conduit.send_one(form, item, now)

    def resume(self, now: float) -> None:
        """Go on with the writes that wait, and give up those whose time has passed."""
        blocked = self._blocked
        if not self.blocked:
            return
        self._full_at = self.conduit.window.base
        self.conduit.proceed(now)
        for late in [each for each in blocked if each.write.deadline <= now]:
            blocked.remove(late)
            self._expire(late)
        while blocked and not self.conduit.cutter.unfinished:
            if self._go_on(blocked[0], now):
                return
            blocked.popleft()

    def abandon(self) -> None:
        """The conduit is no more: nothing waits for it any longer."""
        while self._blocked:
            self._expire(self._blocked.popleft())

    def _write(
        self,
        form: Form[T],
        items: Sequence[T],
        now: float,
        deadline: float,
        publisher: Publisher | None,
        *,
        large: bool,
    ) -> Write:
        write = Write(items, deadline)
        if not self.blocked:
            write.written = self._put(form, items, now, large=large)
        if publisher:
            publisher.written += write.written
        if write.pending:

            def resume(later: float) -> int:
                rest = items[write.written :]
                # Peers that have joined since may not take it.
                return self._put(form, rest, later, large=large and self.check(form, rest))

            self._full_at = self.conduit.window.base
            self._blocked.append(_Blocked(write, resume, publisher))
        return write

    def _put(self, form: Form[T], items: Sequence[T], now: float, *, large: bool) -> int:
        conduit = self.conduit
        if not large:
            return conduit.write(form, items, now)
        for place, item in enumerate(items):
            if conduit.cutter.unfinished or not conduit.write_one(form, item, now):
                return place
        return len(items)

    def _go_on(self, blocked: _Blocked, now: float) -> bool:
        """Whether the write still waits."""
        write, resume, publisher = blocked
        try:
            written = resume(now)
        except SampleTooLargeError as error:
            write.fail(error)
            return False
        write.written += written
        if publisher:
            publisher.written += written
        if write.pending:
            return True
        write.done(write)
        return False

    def fitting(self, form: Form[T], items: Sequence[T]) -> Sequence[T]:
        """Those of the items that can be sent."""
        try:
            self.check(form, items)
        except SampleTooLargeError:
            return [item for item in items if self._can_go(form, item)]
        return items

    def _can_go(self, form: Form[T], item: T) -> bool:
        try:
            self.check(form, [item])
        except SampleTooLargeError:
            return False
        return True

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
