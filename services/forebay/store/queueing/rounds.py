"""The commit round: what happened to all queues becomes safe together, then visible, then confirmed.

One round runs at a time; what happens meanwhile gathers for the next, so that rounds grow with load. Contents are on
disk before an index names them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, NamedTuple, Protocol

import structlog

from forebay.msgstore import DiskFullError, MessageStore, Put, StoreFailedError
from forebay.runtime.clock import Clock
from forebay.store.backing.protocol import Batch
from forebay.store.mirroring.followers import Shipment

log = structlog.stdlib.get_logger(__name__)

RETRY_SECONDS = 1.0
"""Between tries on a full disk."""
SOON_SECONDS = 0.003
"""How long what nobody waits for may itself wait for a round that has more to do."""
WRITERS = 4
"""Threads that write and sync indexes."""


class Member(Protocol):
    """A queue in the rounds. Nothing of it raises but where it says so: what goes wrong is its own affair."""

    def take(self) -> Batch | None:
        """What happened up to now, to be written; None when there is nothing to write."""
        ...

    def write(self, batch: Batch, *, sync: bool) -> None:
        """Write it; blocks. Raises what went wrong."""
        ...

    def settle(self, batch: Batch | None) -> None:
        """What `take` covered is safe; None: there was nothing to write."""
        ...

    def crash(self, error: Exception) -> None:
        """Its write or its checkpoint went wrong, by no fault of the disk."""
        ...

    @property
    def unsynced(self) -> bool:
        """Something was written without being made durable."""
        ...

    def sync(self) -> None:
        """Make it durable; blocks. Raises what went wrong."""
        ...

    @property
    def checkpoint_due(self) -> bool:
        """It is time for a checkpoint."""
        ...

    def checkpoint(self) -> None:
        """Do it; blocks. Raises what went wrong."""
        ...


class Followers(Protocol):
    """Others that must have what happened before it counts as safe; see `mirroring.followers`."""

    def collect(self, puts: Sequence[Put]) -> Shipment | None:
        """What happened up to now."""
        ...

    async def ship(self, shipment: Shipment | None) -> None:
        """Return when they have it. Raises `DeposedError`: nothing is safe any more."""
        ...


@dataclass(frozen=True)
class Safety:
    """When what is written counts as safe."""

    mode: Literal["always", "interval", "none"] = "always"
    interval: float = 0.2
    """Seconds between syncs in the mode `interval`."""


class _Written(NamedTuple):
    member: Member
    error: Exception | None
    seconds: float


class Rounds:
    """Runs rounds for the queues of a store. `on_full` is told why nothing can be written, and "" when it can again."""

    def __init__(
        self,
        persistent: MessageStore,
        transient: MessageStore,
        clock: Clock,
        safety: Safety,
        followers: Followers | None = None,
    ) -> None:
        self._stores = (persistent, transient)
        self._puts: tuple[list[Put], list[Put]] = ([], [])
        """Contents for each of the stores."""
        self._clock = clock
        self.safety = safety
        self.on_full: Callable[[str], None] = lambda _: None
        self.writes = 0
        """Writes of indexes since the start."""
        self.syncs = 0
        """Of these, and later ones, those that waited for the disk."""
        self.sync_seconds = 0.0
        """Seconds that they took."""
        self._followers = followers
        self._dirty: dict[Member, None] = {}
        self._written: dict[Member, None] = {}
        """Written without a sync."""
        self._checkpoints: dict[Member, asyncio.Task[None]] = {}
        self._work = asyncio.Event()
        self._soon: asyncio.TimerHandle | None = None
        """Begins a round for what may wait a little."""
        self._waiting: list[asyncio.Future[None]] = []
        self._pool = ThreadPoolExecutor(WRITERS, "store-index")

    def add(self, member: Member) -> None:
        """Something happened to a queue."""
        self._dirty[member] = None
        self._work.set()

    def add_soon(self, member: Member) -> None:
        """Something happened to a queue that need not be safe at once: it goes with what comes within a moment."""
        self._dirty[member] = None
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(SOON_SECONDS, self._work.set)

    def put(self, puts: Sequence[Put], *, persistent: bool) -> None:
        """Contents that indexes are about to name."""
        self._puts[0 if persistent else 1].extend(puts)
        self._work.set()

    async def passed(self) -> None:
        """Return when all that happened before is safe."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        self._work.set()
        await future

    def leave(self, member: Member) -> None:
        """A queue takes part no more."""
        self._dirty.pop(member, None)
        self._written.pop(member, None)

    async def free(self, member: Member) -> None:
        """Return when no checkpoint of a queue is under way."""
        if task := self._checkpoints.get(member):
            await asyncio.wait([task])

    async def run(self) -> None:
        """Rounds for ever.

        Raises `StoreFailedError` when the disk has failed: what is on it is unknown then; and `DeposedError`.
        """
        while True:
            await self._work.wait()
            self._work.clear()
            await self._round()

    async def run_syncs(self) -> None:
        """For ever sync what was written, in the mode `interval`; errors as those of `run`."""
        while True:
            await self._clock.sleep(self.safety.interval)
            if self.safety.mode == "interval":
                await self._sync_all()

    async def close(self) -> None:
        """Wait for checkpoints, sync everything, and end the threads."""
        if self._soon:
            self._soon.cancel()
        if self._checkpoints:
            await asyncio.wait(self._checkpoints.values())
        await self._sync_all()
        self._pool.shutdown()

    # One round
    async def _round(self) -> None:
        if self._soon:
            self._soon.cancel()
            self._soon = None
        waiting, self._waiting = self._waiting, []
        members = [member for member in self._dirty if member not in self._checkpoints]
        batches = [(member, member.take()) for member in members]
        for member in members:
            self._dirty.pop(member, None)
        followed = self._follow()
        try:
            await self._put_all()
            written = await self._write([(member, batch) for member, batch in batches if batch and batch.needs_disk])
        except BaseException:
            followed.cancel()
            raise
        await followed
        failed = {each.member: each.error for each in written if each.error}
        for member, batch in batches:
            if member not in failed:
                member.settle(batch)
        await self._after(members, failed)
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def _follow(self) -> asyncio.Future[None]:
        """Have the followers get what happened up to now, while it is written here."""
        if self._followers is None:
            nobody: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            nobody.set_result(None)
            return nobody
        return asyncio.ensure_future(self._followers.ship(self._followers.collect(self._puts[0])))

    async def _put_all(self) -> None:
        """Make contents safe that were put before the call, trying for as long as the disk is full."""
        for store, puts in zip(self._stores, self._puts, strict=True):
            if puts:
                batch = puts.copy()
                puts.clear()
                await self._try(lambda store=store, batch=batch: store.put(batch))  # type: ignore[misc]

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        full = False
        while True:
            try:
                await work()
            except DiskFullError as error:
                full = True
                self._tell_full(error)
                await self._clock.sleep(RETRY_SECONDS)
            else:
                if full:
                    self.on_full("")
                return

    def _tell_full(self, error: DiskFullError) -> None:
        log.warning("the disk is full, publishers wait", problem=str(error))
        self.on_full(str(error))

    async def _write(self, batches: Sequence[tuple[Member, Batch]]) -> list[_Written]:
        if not batches:
            return []
        sync = self.safety.mode == "always"
        self.writes += len(batches)
        loop = asyncio.get_running_loop()
        parts = [batches[start::WRITERS] for start in range(min(WRITERS, len(batches)))]
        writes = [loop.run_in_executor(self._pool, _write_part, part, sync) for part in parts]
        if len(writes) > 1:
            await asyncio.wait(writes)
        written = [each for write in writes for each in await write]
        if sync:
            self._count_syncs(len(written), sum(each.seconds for each in written))
        else:
            self._written.update(dict.fromkeys(member for member, _ in batches))
        return written

    def _count_syncs(self, number: int, seconds: float) -> None:
        self.syncs += number
        self.sync_seconds += seconds

    async def _after(self, members: Sequence[Member], failed: dict[Member, Exception]) -> None:
        """Begin checkpoints that are due, and see what went wrong."""
        for member in members:
            if member not in failed and member.checkpoint_due and member not in self._checkpoints:
                self._checkpoints[member] = asyncio.ensure_future(self._checkpoint(member))
        full = [error for error in failed.values() if isinstance(error, DiskFullError)]
        for member, error in failed.items():
            if isinstance(error, StoreFailedError):
                raise error
            if isinstance(error, DiskFullError):
                self.add(member)
            else:
                member.crash(error)
        if full:
            self._tell_full(full[0])
            await self._clock.sleep(RETRY_SECONDS)
            self.on_full("")

    async def _checkpoint(self, member: Member) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(self._pool, member.checkpoint)
        except DiskFullError as error:
            # The journal stays and grows; what does not fit into it raises the alarm.
            log.warning("no room for a checkpoint, it is tried again", problem=str(error))
            await self._clock.sleep(RETRY_SECONDS)
        except Exception as error:  # noqa: BLE001 - the queue tells of it
            member.crash(error)
        finally:
            del self._checkpoints[member]
            self.add(member)

    async def _sync_all(self) -> None:
        members = [member for member in self._written if member.unsynced]
        self._written.clear()
        loop = asyncio.get_running_loop()
        for member in members:
            begun = perf_counter()
            await self._try(lambda member=member: loop.run_in_executor(self._pool, member.sync))  # type: ignore[misc]
            self._count_syncs(1, perf_counter() - begun)


def _write_part(batches: Sequence[tuple[Member, Batch]], sync: bool) -> list[_Written]:
    """In a thread: what became of each write."""
    written = []
    for member, batch in batches:
        begun = perf_counter()
        error: Exception | None = None
        try:
            member.write(batch, sync=sync)
        except Exception as failure:  # noqa: BLE001 - it belongs to that queue alone
            error = failure
        written.append(_Written(member, error, perf_counter() - begun))
    return written
