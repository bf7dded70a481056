"""Group commit: one thread commits at once whatever gathered while its last commit was running."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, NamedTuple, TypeVar

from forebay.msgstore.errors import StoreClosedError

T = TypeVar("T")


class _Entry(NamedTuple, Generic[T]):
    item: T
    weight: int
    done: asyncio.Future[None]


class Committer(Generic[T]):
    """A named thread that turns many submissions into few commits; batches grow with load.

    `commit` runs in that thread with the items in their order of submission; what it raises, every submitter of
    that batch gets. `limit` bounds the weight submitted and not yet committed: further submitters wait, first come
    first served. A single item heavier than the limit goes alone. All submitters share one event loop.
    """

    def __init__(self, name: str, commit: Callable[[list[T]], None], *, limit: int) -> None:
        self._commit = commit
        self._limit = limit
        self._weight = 0
        self._turn = asyncio.Lock()
        self._room = asyncio.Event()
        self._queue: SimpleQueue[_Entry[T] | None] = SimpleQueue()
        self._closed = False
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def weight(self) -> int:
        """Weight submitted and not yet committed."""
        return self._weight

    async def submit(self, item: T, weight: int = 1) -> None:
        """Return when the batch that holds `item` is committed, or raise what its commit raised.

        A caller that is cancelled while it waits for room takes its item with it; afterwards it is committed anyway.
        Raises `StoreClosedError` after `close`.
        """
        async with self.turn(weight):
            done = self.send(item, weight)
        await done

    @asynccontextmanager
    async def turn(self, weight: int) -> AsyncIterator[None]:
        """Wait for one's turn and for room; what is sent inside comes in the order of turns."""
        async with self._turn:
            await self._wait_for_room(weight)
            yield

    def send(self, item: T, weight: int = 1) -> asyncio.Future[None]:
        """Submit an item within one's turn, without waiting: the future is done when its batch is committed."""
        done = asyncio.get_running_loop().create_future()
        self._weight += weight
        self._queue.put(_Entry(item, weight, done))
        return done

    def close(self) -> None:
        """Commit what was submitted, then end the thread; blocks until then. Call it where `submit` is called."""
        if not self._closed:
            self._closed = True
            self._room.set()
            self._queue.put(None)
        self._thread.join()

    async def _wait_for_room(self, weight: int) -> None:
        while not self._closed and self._weight and self._weight + weight > self._limit:
            self._room.clear()
            await self._room.wait()
        if self._closed:
            raise StoreClosedError("the committer was closed: open its store again")

    def _run(self) -> None:
        while (entry := self._queue.get()) is not None:
            batch = [entry]
            last = self._gather(batch)
            self._settle(batch, self._attempt(batch))
            if last:
                return

    def _gather(self, batch: list[_Entry[T]]) -> bool:
        try:
            while (entry := self._queue.get_nowait()) is not None:
                batch.append(entry)
        except Empty:
            return False
        return True

    def _attempt(self, batch: list[_Entry[T]]) -> Exception | None:
        try:
            self._commit([entry.item for entry in batch])
        except Exception as error:  # noqa: BLE001 - it belongs to the submitters, whatever it is
            return error
        return None

    def _settle(self, batch: list[_Entry[T]], error: Exception | None) -> None:
        # Of a loop that was closed nobody waits any more.
        with suppress(RuntimeError):
            batch[0].done.get_loop().call_soon_threadsafe(self._resolve, batch, error)

    def _resolve(self, batch: list[_Entry[T]], error: Exception | None) -> None:
        for _, weight, done in batch:
            self._weight -= weight
            if done.done():
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)
        self._room.set()
