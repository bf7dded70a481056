"""The workers: they take resources from the queue and reconcile them."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from enum import StrEnum

import structlog

from forebay_operator.errors import OperatorError
from forebay_operator.metrics import Metrics
from forebay_operator.queue import Depth, Key, WorkQueue

WORKERS = 16
"""Passes at once. Most of a pass is waiting, and one that waits for a pod that is gone holds up no other."""
LONGEST_PASS = 300.0
"""Seconds after which a pass is given up. Every request in it has a limit of its own: this catches faults of ours."""

log = structlog.stdlib.get_logger(__name__)


class Outcome(StrEnum):
    """What came of a pass."""

    OK = "ok"
    FAULT = "fault"
    """Something keeps the resource from being brought about; its condition tells what."""


Reconcile = Callable[[Key, Depth], Awaitable[Outcome]]
"""One pass over a resource. Raises for what is to be tried again soon."""


class Workers:
    """Reconciles what the queue holds."""

    def __init__(self, queue: WorkQueue, metrics: Metrics) -> None:
        self._queue = queue
        self._metrics = metrics
        self._wake = asyncio.Event()
        self._slots = asyncio.Semaphore(WORKERS)

    def put(self, key: Key, depth: Depth = Depth.RECONCILE, delay: float | None = None) -> None:
        """Put a resource into the queue, from the loop's own thread."""
        self._queue.put(key, depth, delay)
        self._wake.set()

    async def run(self, reconcile: Reconcile) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as passes:
            while True:
                await self._slots.acquire()
                key, depth = await self._next()
                passes.create_task(self._pass(reconcile, key, depth), name=f"reconcile {key}")

    async def _next(self) -> tuple[Key, Depth]:
        while True:
            self._wake.clear()
            if taken := self._queue.take():
                return taken
            try:
                async with asyncio.timeout(self._queue.wait()):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def _pass(self, reconcile: Reconcile, key: Key, depth: Depth) -> None:
        started = time.monotonic()
        try:
            with structlog.contextvars.bound_contextvars(resource=str(key)):
                outcome: str = await self._guarded(reconcile, key, depth)
        finally:
            self._slots.release()
            self._wake.set()
        self._metrics.reconciles.labels(key.kind, outcome).inc()
        self._metrics.seconds.labels(key.kind).observe(time.monotonic() - started)

    async def _guarded(self, reconcile: Reconcile, key: Key, depth: Depth) -> str:
        """One pass; its outcome, `error` where it raised."""
        try:
            async with asyncio.timeout(LONGEST_PASS):
                outcome = await reconcile(key, depth)
        except (OperatorError, TimeoutError) as error:
            log.warning("will be tried again", problem=str(error) or "took too long", seconds=self._later(key))
        except Exception:
            log.exception("unexpected, will be tried again", seconds=self._later(key))
        except asyncio.CancelledError:
            # A call in the midst of a pass may have been. What is never let go would never be looked at again.
            self._later(key)
            raise
        else:
            self._queue.done(key)
            return outcome
        return "error"

    def _later(self, key: Key) -> float:
        return round(self._queue.failed(key), 2)
