"""When a thread has to wait, and for whom; and how it sleeps and wakes."""

import asyncio
from collections.abc import Callable

from forebay.router.core.flowcontrol import FlowSettings, Throttle, Waiters
from forebay.router.core.outbox import Outbox
from forebay.runtime import Clock


class Pacing:
    """Of one thread."""

    def __init__(
        self, settings: FlowSettings, clock: Clock, ask: Callable[[str], None], overdue: Callable[[str], None]
    ) -> None:
        """`ask` sends ntf-xon to a recipient; `overdue` is told of one that is not waited for any more."""
        self.held = False
        """The thread has to wait before it handles more."""
        self.waiters = Waiters()
        """Who waits for the thread."""
        self._throttle = Throttle(settings)
        self._full: set[Outbox] = set()
        self._clock = clock
        self._ask = ask
        self._overdue = overdue
        self._draining: list[asyncio.Future[None]] = []
        self._sleeping: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def blockers(self) -> list[str]:
        """Recipients that are waited for."""
        return self._throttle.blockers

    def xoff(self, blocker: str) -> None:
        """A recipient is full."""
        self._throttle.xoff(blocker, self._clock.monotonic())
        self.held = True
        self._arm()

    def xon(self, blocker: str) -> None:
        """A recipient is not full any more, or has gone."""
        if self._throttle.xon(blocker):
            self._look_on()

    def window_full(self, outbox: Outbox) -> bool:
        """Too much of what was sent has no receipt; False when that was known."""
        if outbox in self._full:
            return False
        self._full.add(outbox)
        self.held = True
        return True

    def received(self, outbox: Outbox) -> None:
        """Messages have their receipts."""
        if not outbox.full and outbox in self._full:
            self._full.discard(outbox)
            self._look_on()

    def _look_on(self) -> None:
        self.held = self._throttle.blocked or bool(self._full)
        if not self.held:
            self.wake()
            self._drained()

    def _drained(self) -> None:
        draining, self._draining = self._draining, []
        for waiter in draining:
            if not waiter.done():
                waiter.set_result(None)

    async def drain(self) -> None:
        """Wait until the thread need not wait, or has ended."""
        if not self.held:
            # Whoever sends all the time lets others have their turn.
            await asyncio.sleep(0)
        while self.held and not self._closed:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._draining.append(waiter)
            await waiter

    def wake(self) -> None:
        """There may be something to do."""
        sleeping = self._sleeping
        if sleeping is not None and not sleeping.done():
            sleeping.set_result(None)

    async def sleep(self) -> None:
        """Wait until there may be something to do."""
        self._sleeping = asyncio.get_running_loop().create_future()
        try:
            await self._sleeping
        finally:
            self._sleeping = None

    def _arm(self) -> None:
        """Look after those who are waited for, even when nothing else happens."""
        if self._timer is None and not self._closed and (due := self._throttle.next_due()) is not None:
            delay = max(0.0, due - self._clock.monotonic())
            self._timer = asyncio.get_running_loop().call_later(delay, self._look_after)

    def _look_after(self) -> None:
        """Ask again those who have not told xon, and give up on those who have not for too long."""
        self._timer = None
        now = self._clock.monotonic()
        for blocker in self._throttle.overdue(now):
            self._overdue(blocker)
            self._look_on()
        for blocker in self._throttle.repeats(now):
            self._ask(blocker)
        self._arm()

    def close(self) -> None:
        """The thread has ended."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._drained()
