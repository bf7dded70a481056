"""The relay: workers that carry out a dispatcher's jobs, and the timers that drive it."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import structlog

from forebay.announcer.forwarding.dispatcher import TICK
from forebay.announcer.forwarding.outcome import Answer, Cause, Failure
from forebay.announcer.forwarding.overview import queue_status
from forebay.announcer.forwarding.scaling import PACE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.dispatcher import Dispatcher
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.job import Job
    from forebay.announcer.forwarding.outcome import Outcome
    from forebay.announcer.forwarding.status import QueueStatus
    from forebay.runtime.clock import Clock

    Send = Callable[[ForwarderSpec, Announce], Awaitable[Outcome]]
    """Asks an upstream tracker; failures are outcomes, not exceptions."""
    Heard = Callable[[Announce, str, Answer], None]
    """Is told of each answer: the request, the forwarder's name, the answer."""

log = structlog.stdlib.get_logger(__name__)


class Relay:
    """Runs workers between `workers` and `most_workers` of the settings; no request outlives its worker."""

    def __init__(self, dispatcher: Dispatcher, send: Send, heard: Heard, clock: Clock) -> None:
        self._dispatcher = dispatcher
        self._send = send
        self._heard = heard
        self._clock = clock
        self._idle: deque[asyncio.Future[None]] = deque()
        self._leaving = 0
        dispatcher.wake = self._wake
        self._in_flight = 0
        self._landed = asyncio.Event()
        self._is_ending = False
        self.workers = 0
        """Workers that run."""

    def status(self) -> QueueStatus:
        """The queue, the schedule and the workers."""
        return queue_status(self._dispatcher, self.workers, self._clock.monotonic())

    async def finish(self, grace: float) -> None:
        """Begin no more requests, and wait so many seconds at most for those in flight."""
        self._is_ending = True
        with suppress(TimeoutError):
            async with asyncio.timeout(grace):
                while self._in_flight:
                    self._landed.clear()
                    await self._landed.wait()

    async def run(self) -> None:
        """Forward until cancelled; by then all workers and their requests have ended."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._dispatcher.settings.workers):
                self._start(group)
            group.create_task(self._tick(), name="forwarding schedule")
            group.create_task(self._scale(group), name="forwarding scale")

    def _start(self, group: asyncio.TaskGroup) -> None:
        self.workers += 1
        group.create_task(self._work(), name="forwarding worker")

    async def _tick(self) -> NoReturn:
        while True:
            await self._clock.sleep(TICK)
            self._dispatcher.tick(self._clock.monotonic())
            self._wake()

    async def _scale(self, group: asyncio.TaskGroup) -> NoReturn:
        while True:
            await self._clock.sleep(PACE)
            step = self._dispatcher.scale(self.workers - self._leaving, self._clock.monotonic())
            if step < 0:
                self._leaving += 1
                self._wake_one()
            elif step > 0 and self._leaving:
                self._leaving -= 1
            elif step > 0:
                self._start(group)

    async def _work(self) -> None:
        try:
            while not self._leaves():
                errand = None if self._is_ending else self._dispatcher.take(self._clock.monotonic())
                if errand is None:
                    await self._wait()
                else:
                    await self._carry_out(*errand)
        finally:
            self.workers -= 1

    def _leaves(self) -> bool:
        """Whether this worker is the one to leave."""
        if not self._leaving:
            return False
        self._leaving -= 1
        return self.workers > self._dispatcher.settings.workers

    async def _wait(self) -> None:
        woken = asyncio.get_running_loop().create_future()
        self._idle.append(woken)
        await woken

    def _wake(self) -> None:
        for _ in range(min(len(self._idle), self._dispatcher.jobs.queue.depth)):
            self._wake_one()

    def _wake_one(self) -> None:
        if self._idle and not (woken := self._idle.popleft()).done():
            woken.set_result(None)

    async def _carry_out(self, job: Job, spec: ForwarderSpec) -> None:
        self._in_flight += 1
        try:
            outcome = await self._ask(spec, job.announce)
        finally:
            self._in_flight -= 1
            self._landed.set()
        self._dispatcher.done(job, outcome, self._clock.monotonic())
        if isinstance(outcome, Answer):
            self._heard(job.announce, spec.name, outcome)
        # Else a restart would carry out again not only what is in flight then, but also what has just ended.
        await self._dispatcher.jobs.watcher.settle()

    async def _ask(self, spec: ForwarderSpec, announce: Announce) -> Outcome:
        try:
            async with asyncio.timeout(spec.timeout):
                return await self._send(spec, announce)
        except TimeoutError:
            return Failure(Cause.TIMEOUT, f"no answer within {spec.timeout:g} s")
        except Exception:
            log.exception("request crashed", forwarder=spec.name)
            return Failure(Cause.INTERNAL, "a fault of ours; the log tells more")
