"""What a thread does all the time: events first, then messages, as long as it may."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from inspect import isawaitable
from typing import TypeAlias

from forebay.client.router.blocking import BlockingThread
from forebay.client.router.thread import Thread
from forebay.router.core.events import Event
from forebay.router.core.message import Message

Handler: TypeAlias = Callable[[Thread, Message], Awaitable[None]]
BlockingHandler: TypeAlias = Callable[[BlockingThread, Message], None]
OnEvent: TypeAlias = Callable[[Thread, Event], Awaitable[None] | None]

TURN_SECONDS = 0.005
"""How long one thread handles messages before others have their turn."""
LOOK_MESSAGES = 16
"""Messages between two looks at the time."""


async def run(thread: Thread, handler: Handler | None, on_event: OnEvent | None) -> None:
    """Handle what comes until the thread stops. Without a handler messages stay in the queue."""
    while not thread.ending:
        if thread.queue.internal:
            await _handle_events(thread, on_event)
        if handler is not None and not thread.pacing.held and len(thread.queue):
            await _take_turn(thread, handler)
            if len(thread.queue):
                await asyncio.sleep(0)
        elif not thread.ending and not thread.queue.internal:
            await thread.pacing.sleep()


async def _handle_events(thread: Thread, on_event: OnEvent | None) -> None:
    while not thread.ending and (event := thread.queue.take_internal()) is not None:
        if on_event is not None:
            result = on_event(thread, event)
            if isawaitable(result):
                await result


async def _take_turn(thread: Thread, handler: Handler) -> None:
    """Handle messages for a while, as long as nothing else is to be done."""
    queue, pacing, monotonic = thread.queue, thread.pacing, time.monotonic
    end = monotonic() + TURN_SECONDS
    number = 0
    while not (pacing.held or thread.ending or queue.internal):
        message = queue.take()
        if message is None:
            return
        if thread.pacing.waiters and queue.low:
            thread.release()
        await handler(thread, message)
        number += 1
        if not number % LOOK_MESSAGES and monotonic() > end:
            return


async def run_blocking(thread: Thread, handler: BlockingHandler, on_event: OnEvent | None) -> None:
    """The same with a handler that blocks, which runs in a thread of the operating system."""
    loop = asyncio.get_running_loop()
    face = BlockingThread(thread, loop)
    pool = ThreadPoolExecutor(1, thread_name_prefix=thread.name)
    try:
        while not thread.ending:
            await _handle_events(thread, on_event)
            if not thread.pacing.held and len(thread.queue):
                await loop.run_in_executor(pool, _take_blocking_turn, thread, face, handler)
                if thread.pacing.waiters and thread.queue.low:
                    thread.release()
            elif not thread.ending and not thread.queue.internal:
                await thread.pacing.sleep()
    finally:
        # A handler that is still running may wait for the event loop, which therefore does not wait for it.
        pool.shutdown(wait=False)


def _take_blocking_turn(thread: Thread, face: BlockingThread, handler: BlockingHandler) -> None:
    queue, pacing, end = thread.queue, thread.pacing, time.monotonic() + TURN_SECONDS
    while not (pacing.held or thread.ending or queue.internal):
        message = queue.take()
        if message is None:
            return
        handler(face, message)
        # What the handler has sent may make the thread wait: it shall be looked at first.
        face.settle()
        if time.monotonic() > end:
            return
