"""The long-lived tasks of a service: named, watched, restarted or fatal, and ended together."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

import structlog

from forebay.runtime.backoff import Backoff, BackoffSettings
from forebay.runtime.clock import Clock, SystemClock
from forebay.runtime.cutcalls import is_cancelled
from forebay.runtime.errors import TaskCrashedError

Work = Callable[[], Awaitable[None]]

log = structlog.stdlib.get_logger(__name__)


class Supervisor:
    """Runs tasks until `close`. No exception of theirs is lost: it is logged, and what is fatal ends the service."""

    def __init__(self, clock: Clock | None = None, random: Random | None = None) -> None:
        self._clock = clock or SystemClock()
        self._random = random or Random()  # noqa: S311 spreads restarts, guards nothing
        self._tasks: set[asyncio.Task[None]] = set()
        self._crashed = asyncio.Event()
        self._crash: TaskCrashedError | None = None

    def spawn(self, name: str, work: Work, restart: BackoffSettings | None = None) -> asyncio.Task[None]:
        """Run `work()`. When it raises, it is run again after a back-off; without `restart` the service has failed."""
        run = self._once(name, work) if restart is None else self._again(name, work, restart)
        task = asyncio.get_running_loop().create_task(run, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _once(self, name: str, work: Work) -> None:
        try:
            await work()
        except Exception as error:
            log.exception("task crashed", task=name)
            if self._crash is None:
                self._crash = TaskCrashedError(f"task {name} crashed by {type(error).__name__}; the log tells more")
                self._crash.__cause__ = error
            self._crashed.set()

    async def _again(self, name: str, work: Work, restart: BackoffSettings) -> None:
        backoff = Backoff(restart, self._clock, self._random)
        while True:
            started = self._clock.monotonic()
            try:
                return await work()
            except Exception as error:
                if is_cancelled():
                    log.exception("task crashed while it was ended", task=name)
                    raise asyncio.CancelledError from error
                if self._clock.monotonic() - started > restart.longest:
                    backoff.reset()
                delay = backoff.fail()
                log.exception(
                    "task crashed, is run again", task=name, seconds=round(delay, 3), failures=backoff.failures
                )
            await self._clock.sleep(delay)

    async def crashed(self) -> TaskCrashedError:
        """Wait until a task that the service cannot do without has crashed; the first such crash."""
        await self._crashed.wait()
        assert self._crash is not None  # noqa: S101 set before the event
        return self._crash

    async def close(self) -> None:
        """Cancel what still runs and wait until all of it has ended; tasks may spawn no others meanwhile."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
