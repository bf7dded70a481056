"""The lives of the threads of a process: how they run, and what is left to do when they end."""

import asyncio
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, cast

import structlog

from forebay.client.router.running import BlockingHandler, Handler, OnEvent, run, run_blocking
from forebay.client.router.thread import Thread
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.events import Dropped
from forebay.router.core.flags import MULTICAST
from forebay.router.core.message import Message
from forebay.router.core.skal import ALARM_THREAD_CRASHED, DROP_SHUTDOWN

if TYPE_CHECKING:
    from forebay.client.router.process import Process

log = structlog.stdlib.get_logger(__name__)


class Lives:
    """All threads of one process that run."""

    def __init__(self, process: "Process") -> None:
        self._process = process
        self._tasks: dict[Thread, asyncio.Task[None]] = {}
        self._failure: Exception | None = None

    def begin(self, thread: Thread, handler: Handler | BlockingHandler | None, on_event: OnEvent | None) -> None:
        """Have a thread run."""
        self._tasks[thread] = self._process.spawn(self._live(thread, handler, on_event))

    async def stop(self, patience: float) -> None:
        """Have all of them end, and cut off those that take longer than so many seconds."""
        for thread in self._tasks:
            thread.stop()
        if tasks := list(self._tasks.values()):
            _, late = await asyncio.wait(tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def fail(self, error: Exception) -> None:
        """Cut all of them off, since the process cannot go on."""
        self._failure = error
        for task in list(self._tasks.values()):
            task.cancel()

    async def _live(self, thread: Thread, handler: Handler | BlockingHandler | None, on_event: OnEvent | None) -> None:
        """A thread, to its end."""
        error: Exception | None = None
        try:
            if handler is None or iscoroutinefunction(handler) or iscoroutinefunction(type(handler).__call__):
                await run(thread, cast("Handler | None", handler), on_event)
            else:
                await run_blocking(thread, cast("BlockingHandler", handler), on_event)
        except Exception as problem:
            error = problem
            log.exception("thread crashed", thread=thread.address)
            comment = f"{type(problem).__name__}: {problem}"
            thread.raise_alarm(ALARM_THREAD_CRASHED, comment, severity=pb.SEVERITY_ERROR)
        finally:
            self._ended(thread, error or self._failure)

    def _ended(self, thread: Thread, error: Exception | None) -> None:
        """Nobody waits for the thread any more; senders are told of what it has not handled."""
        del self._tasks[thread]
        thread.ending = True
        for message in thread.queue.clear():
            self._drop(message, thread)
        thread.close(error)
        self._process.filters.drop(thread.name)
        self._process.epoch += 1
        self._process.spawn(self._bury(thread))

    def _drop(self, message: Message, thread: Thread) -> None:
        head = message.head
        if head.flags & MULTICAST:
            return
        extra = "the thread has ended before it came to this message"
        if sender := self._process.local(head.sender):
            sender.dropped(Dropped(DROP_SHUTDOWN, message.marker, thread.address, extra), head.flags)
        else:
            self._process.outgoing.drop(message, extra)

    async def _bury(self, thread: Thread) -> None:
        """The name is free again once all that the thread has sent has its receipts."""
        await self._process.flushed(thread)
        self._process.remove(thread)
        self._process.outgoing.death(thread.name)
