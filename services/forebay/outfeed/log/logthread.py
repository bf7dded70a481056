"""The thread in which the feed log flushes and tidies up, one piece of work after the other."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from forebay.msgstore.errors import DiskFullError, StoreFailedError
from forebay.outfeed.log.diskfiles import FULL

T = TypeVar("T")


class LogThread:
    """Runs work while the event loop goes on."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "feedlog-files")

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns. Raises `DiskFullError` when the disk had no room, `StoreFailedError` when it failed."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except OSError as error:
            if error.errno in FULL:
                raise DiskFullError("feed log: the disk is full; free some of it") from error
            raise StoreFailedError(f"feed log: {error}; restart after checking the disk") from error

    def close(self) -> None:
        """Wait for what is at work, and end."""
        self._pool.shutdown()
