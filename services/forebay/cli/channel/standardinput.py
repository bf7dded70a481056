"""Lines from standard input, whatever that is: a pipe, a file or a terminal."""

import asyncio
import os
import threading
from collections import deque
from contextlib import suppress

READ = 1 << 16
"""Octets that are read at once."""
AHEAD = 4
"""Reads that may wait to be taken; whoever writes has to wait then."""


class StandardInput:
    """Batches of lines, as many as are at hand. `start` reads in a thread, since only that can wait for any input."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._some = asyncio.Event()
        self._room = threading.Semaphore(AHEAD)
        self._read: deque[bytes] = deque()
        self._rest = b""
        self.ended = asyncio.Event()
        """Nothing more is read; what was can still be taken."""
        self._thread = threading.Thread(target=self._follow, name="standard input", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more than what was read by now."""
        self.ended.set()
        self._some.set()

    async def take(self) -> list[str]:
        """The next lines, at least one; empty at the end."""
        while True:
            while not self._read and not self.ended.is_set():
                self._some.clear()
                await self._some.wait()
            if not self._read:
                return self._last()
            data = self._rest + self._read.popleft()
            self._room.release()
            *lines, self._rest = data.split(b"\n")
            if lines:
                return [_text(line) for line in lines]

    def _last(self) -> list[str]:
        rest, self._rest = self._rest, b""
        return [_text(rest)] if rest.strip() else []

    def _follow(self) -> None:
        # Once the loop is closed, nobody wants more.
        with suppress(RuntimeError):
            while self._room.acquire() and (data := self._next()):
                self._loop.call_soon_threadsafe(self._add, data)
            self._loop.call_soon_threadsafe(self.stop)

    def _next(self) -> bytes:
        with suppress(OSError):
            return os.read(self._descriptor, READ)
        return b""

    def _add(self, data: bytes) -> None:
        self._read.append(data)
        self._some.set()


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")
