"""Handlers of tests: what a thread has got, and a thread that can be stalled; and processes that can be killed."""

import asyncio
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from eventually import eventually


class Inbox:
    """A handler that keeps what comes; stalled while `open` is cleared. Also takes events."""

    def __init__(self, *, stalled=False):
        self.messages = []
        self.events = []
        self.open = asyncio.Event()
        if not stalled:
            self.open.set()
        self.news = asyncio.Event()

    async def __call__(self, thread, message):
        await self.open.wait()
        self.messages.append(message)

    def on_event(self, thread, event):
        self.events.append(event)

    @property
    def bodies(self):
        return [message.body for message in self.messages]

    async def got(self, count):
        """Wait until that many messages have been handled."""
        await eventually(lambda: len(self.messages) >= count)
        return self.messages

    async def told(self, kind, count=1):
        """Wait until that many events of a kind have come."""
        await eventually(lambda: len(self.told_of(kind)) >= count)
        return self.told_of(kind)

    def told_of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]


@asynccontextmanager
async def thread_process(router, name, *threads):
    """A process of its own with threads, attached to a router; see threadprocess.py. It is killed at the end."""
    program = Path(__file__).with_name("threadprocess.py")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(program), router, name, *threads, stdin=pipe, stdout=pipe
    )
    try:
        assert await process.stdout.readline() == b"ready\n"
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
