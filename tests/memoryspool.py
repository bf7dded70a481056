"""Spools as lists in memory. They stand in for Redis in unit tests; the real one is tested in tests/integration/spill.

A test makes one `MemoryRedis`, turns its switches, and hands out spools by `MemorySpill`, as the service does.
"""

import asyncio
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

from compacting import Choose
from forebay.spill import (
    Change,
    DeadLetter,
    Depth,
    Dropped,
    Durable,
    Entry,
    Held,
    Kind,
    LeaseLostError,
    Loaded,
    Promotion,
    SpillFullError,
    SpillMetrics,
    SpillUnavailableError,
    SpoolSettings,
    SpoolState,
    StateEvent,
)
from forebay.spill.deadletter import decode
from forebay.spill.fence import Round
from forebay.spill.resend import ResendWindow

T = TypeVar("T")

READ = 7
"""Entries that an audit gets at once: few, so that much happens in between."""


@dataclass
class Stream:
    """A segment of the backlog or of what is deferred."""

    opened: int
    entries: list[Entry] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        return sum(len(entry.data) for entry in self.entries)


@dataclass
class Streams:
    """What Redis has of one owner. Entries that the checkpoint of R has passed are not kept."""

    queues: dict[Kind, list[Stream]] = field(default_factory=lambda: {Kind.BACKLOG: [], Kind.DEFERRED: []})
    resend: Stream | None = None
    dead: list[Entry] = field(default_factory=list)
    castoffs: list[Dropped] = field(default_factory=list)
    """What compactions have dropped."""
    lease: object = None

    def all(self) -> list[tuple[Kind, Stream]]:
        """All streams by kind."""
        resend = [(Kind.RESEND, self.resend)] if self.resend else []
        queues = [(kind, stream) for kind, queue in self.queues.items() for stream in queue]
        return [*resend, *queues, (Kind.DEAD, Stream(0, self.dead))]

    def seen(self) -> list[tuple[Kind, list[Entry]]]:
        """All entries by where they are."""
        return [(kind, stream.entries) for kind, stream in self.all()]

    def state(self) -> SpoolState:
        backlog, deferred = self.queues[Kind.BACKLOG], self.queues[Kind.DEFERRED]
        resend = [self.resend] if self.resend else []
        streams = [*resend, *backlog, *deferred]
        return SpoolState(
            backlog=_depth(backlog),
            deferred=_depth(deferred),
            resend=_depth(resend),
            dead=_depth([Stream(0, self.dead)]),
            oldest_backlog=min((stream.opened for stream in backlog), default=None),
            oldest_deferred=min((stream.opened for stream in deferred), default=None),
            oldest_resend=min((stream.opened for stream in resend), default=None),
            generation=0,
            segments=len(streams),
            castoffs=len(self.castoffs),
        )


class MemoryRedis:
    """A server, of which every run is another process. `clock` is a `FakeClock`."""

    def __init__(self, clock) -> None:
        self.clock = clock
        self.away = False
        """Nobody can reach it."""
        self.room: int | None = None
        """Entries that still fit in; None for any number."""
        self.lazy = False
        """What is appended is on disk only after `sync`."""
        self.mute = 0
        """So many of the next commands are carried out, but their answers are lost."""
        self.owners: dict[str, Streams] = {}
        self.compactions = 0
        self._runs = count(1)
        self._ids = count(1)
        self._start()

    def _start(self) -> None:
        self.run_id = f"run-{next(self._runs)}"
        self._synced = deepcopy(self.owners)
        self._round = Round(self.run_id)

    def sync(self) -> None:
        """All that was appended is on disk."""
        self._synced = deepcopy(self.owners)
        done, self._round = self._round, Round(self.run_id)
        done.over.set()

    def fail_sync(self) -> None:
        """Whether what was appended is on disk cannot be told, though Redis goes on."""
        failed, self._round = self._round, Round(self.run_id)
        failed.fail(SpillUnavailableError("not known to be on disk"))

    def restart(self, *, lost: str = "nothing") -> None:
        """Run anew; `lost` is "nothing", "unsynced" or "everything"."""
        if lost == "unsynced":
            self.owners = self._synced
        elif lost == "everything":
            self.owners = {}
        ended = self._round
        self._start()
        for streams in self.owners.values():
            streams.lease = None
        ended.fail(SpillUnavailableError("Redis was restarted"))

    def durable(self) -> Durable:
        """A handle on what was just appended."""
        if not self.lazy:
            self._synced = deepcopy(self.owners)
            return Durable()
        self._round.markers.add("all")
        return Durable(self._round, "all")

    def compact(self, owner: str, choose: Choose) -> None:
        """As a job does, which asks nobody: all closed streams of a kind become one."""
        streams = self.owners[owner]
        for kind, queue in streams.queues.items():
            closed = queue[:-1]
            if not closed:
                continue
            choice = choose([entry for stream in closed for entry in stream.entries])
            for stream in closed:
                stream.entries = []
            self.compactions += 1
            opened = [stream.opened for stream in closed]
            output = Stream(max(opened) if kind is Kind.DEFERRED else min(opened), list(choice.kept))
            queue[:-1] = [output] if choice.kept else []
            streams.castoffs += [
                Dropped(reason, [entry.data for entry in entries], kind)
                for reason, entries in (("duplicate", choice.repeats), ("limit-age", choice.expired))
                if entries
            ]

    def now(self) -> int:
        return int(self.clock.wall() * 1000)

    def entry(self, data: bytes) -> Entry:
        return Entry(b"%d-%d" % (self.now(), next(self._ids)), data)

    def reach(self) -> None:
        if self.away:
            raise SpillUnavailableError("Redis is away")

    def take(self, wanted: int) -> int:
        """How many more entries are let in."""
        if self.room is None:
            return wanted
        taken = min(wanted, self.room)
        self.room -= taken
        return taken

    def answer(self) -> None:
        if self.mute:
            self.mute -= 1
            raise SpillUnavailableError("the answer of Redis was lost")


class MemorySpool:
    """The client's side of one owner, as `forebay.spill.Spool` has it."""

    def __init__(self, owner: str, redis: MemoryRedis, settings: SpoolSettings) -> None:
        self.owner = owner
        self.settings = settings
        self.redis = redis
        self.commands: list[str] = []
        """Names of all commands that were tried."""
        self.purged = False
        self._lease: object = object()
        self._window = ResendWindow()
        self._told = 0
        self._lock = asyncio.Lock()

    @property
    def streams(self) -> Streams:
        """What Redis has."""
        return self.redis.owners.get(self.owner) or Streams()

    @property
    def state(self) -> SpoolState:
        return self.streams.state()

    def lose_lease(self) -> None:
        """Somebody else has taken the owner over."""
        self.streams.lease = object()

    async def load(self) -> Loaded:
        async with self._lock:
            self.commands.append("load")
            await asyncio.sleep(0)
            self.redis.reach()
            fresh = self.owner not in self.redis.owners
            self._lease = self.redis.owners.setdefault(self.owner, Streams()).lease = object()
            self._window = ResendWindow()
            self._told = 0
            self.redis.answer()
            return Loaded(self.state, fresh, self.redis.run_id)

    async def release(self) -> None:
        def release() -> None:
            self._checkpoint()
            self.streams.lease = None

        await self._run("release", release)

    async def append(self, kind: Kind, entries) -> Durable:
        return await self._run("append", lambda: self._append(kind, entries))

    async def promote(self, min_deferred_age: float) -> Promotion:
        return await self._run("promote", lambda: self._promote(min_deferred_age))

    async def read(self, count: int) -> list[Entry]:
        return await self._run("read", lambda: self._read(count))

    def ack(self, entry_ids) -> None:
        self._window.settle(entry_ids)

    async def checkpoint(self) -> Durable:
        def checkpoint() -> Durable:
            self._checkpoint()
            return self.redis.durable()

        return await self._run("checkpoint", checkpoint)

    async def defer(self, entries) -> Durable:
        def defer() -> Durable:
            for entry_id, data in entries:
                if self._take_out(entry_id):
                    self._put(Kind.DEFERRED, data)
            self._finish()
            return self.redis.durable()

        return await self._run("defer", defer)

    async def dead_letter(self, letters) -> Durable:
        return await self._run("dead_letter", lambda: self._dead_letter(letters))

    async def dead_letters(self, count: int, after: bytes | None = None) -> list[DeadLetter]:
        def dead_letters() -> list[DeadLetter]:
            dead = self.streams.dead
            start = next((place for place, entry in enumerate(dead, 1) if entry.id == after), 0)
            return [decode(*entry) for entry in dead[start : start + count]]

        return await self._run("dead_letters", dead_letters)

    async def replay(self, letters) -> int:
        def replay() -> int:
            there = {entry.id for entry in self.streams.dead}
            chosen = [(entry_id, data) for entry_id, data in letters if entry_id in there]
            gone = {entry_id for entry_id, _ in chosen}
            self.streams.dead = [entry for entry in self.streams.dead if entry.id not in gone]
            for _, data in chosen:
                self._put(Kind.BACKLOG, data)
            return len(chosen)

        return await self._run("replay", replay)

    async def enforce(self, count: int = 1000) -> Dropped | None:
        return await self._run("enforce", lambda: self._enforce(count))

    async def dropped(self, count: int = 1000) -> Dropped | None:
        def dropped() -> Dropped | None:
            castoffs = self.streams.castoffs[self._told : self._told + 1]
            self._told += len(castoffs)
            return castoffs[0] if castoffs else None

        return await self._run("dropped", dropped)

    async def forget_dropped(self) -> None:
        def forget_dropped() -> None:
            del self.streams.castoffs[: self._told]
            self._told = 0

        await self._run("forget_dropped", forget_dropped)

    async def iterate(self, count: int = READ):
        compactions = -1
        while compactions != self.redis.compactions:
            compactions = self.redis.compactions
            for kind, stream in await self._run("iterate", self.streams.all):
                place = 0
                while entries := stream.entries[place : place + count]:
                    place += count
                    await asyncio.sleep(0)
                    self._require()
                    yield Held(kind, entries)

    async def purge(self) -> None:
        def purge() -> None:
            del self.redis.owners[self.owner]
            self.purged = True

        await self._run("purge", purge)

    async def _run(self, name: str, command: Callable[[], T]) -> T:
        async with self._lock:
            self.commands.append(name)
            await asyncio.sleep(0)
            self._require()
            answer = command()
            try:
                self.redis.answer()
            except SpillUnavailableError:
                self._align()
                raise
            return answer

    def _require(self) -> None:
        self.redis.reach()
        if self.streams.lease is not self._lease:
            raise LeaseLostError(f"{self.owner} has another holder")

    def _align(self) -> None:
        """What was read is compared with what R has, as the client does after a lost answer."""
        resend = self.streams.resend
        if resend is None:
            self._window = ResendWindow()
        else:
            self._window.align(None, [entry.id for entry in resend.entries])

    def _append(self, kind: Kind, entries) -> Durable:
        taken = self.redis.take(len(entries))
        for data in entries[:taken]:
            self._put(kind, data)
        if taken < len(entries):
            raise SpillFullError("Redis is full", taken, self.redis.durable())
        return self.redis.durable()

    def _put(self, kind: Kind, data: bytes) -> None:
        if kind is Kind.DEAD:
            self.streams.dead.append(self.redis.entry(data))
            return
        queue, now, settings = self.streams.queues[kind], self.redis.now(), self.settings
        full = queue and queue[-1].bytes >= settings.rotate_bytes
        if not queue or (full and now - queue[-1].opened >= settings.rotate_age * 1000):
            queue.append(Stream(now))
        queue[-1].entries.append(self.redis.entry(data))

    def _promote(self, min_deferred_age: float) -> Promotion:
        self._checkpoint()
        streams = self.streams
        queue = streams.queues[Kind.BACKLOG] or streams.queues[Kind.DEFERRED]
        if streams.resend or not queue:
            return Promotion(done=False)
        wait = queue[0].opened / 1000 + min_deferred_age - self.redis.clock.wall()
        if queue is streams.queues[Kind.DEFERRED] and wait > 0:
            return Promotion(done=False, wait=wait)
        recalled = len(queue[0].entries) if queue is streams.queues[Kind.DEFERRED] else 0
        streams.resend = queue.pop(0)
        self._window = ResendWindow()
        return Promotion(done=True, recalled=recalled)

    def _read(self, count: int) -> list[Entry]:
        self._checkpoint()
        resend = self.streams.resend
        if resend is None:
            return []
        ids = [entry.id for entry in resend.entries]
        start = ids.index(self._window.cursor) + 1 if self._window.cursor in ids else 0
        entries = resend.entries[start : start + count]
        self._window.add(entries)
        return entries

    def _checkpoint(self) -> None:
        passed, resend = self._window.passed(), self.streams.resend
        if passed is None or resend is None:
            return
        there = [entry.id for entry in resend.entries]
        gone = set(self._settled(passed.checkpoint)).intersection(there)
        resend.entries = [entry for entry in resend.entries if entry.id not in gone]
        self._window.move(passed.checkpoint)
        self._finish()

    def _settled(self, checkpoint: bytes) -> list[bytes]:
        order = list(self._window._order)
        return order[: order.index(checkpoint) + 1]

    def _take_out(self, entry_id: bytes) -> bool:
        """Take an entry out of R, if it is awaited."""
        resend = self.streams.resend
        if entry_id not in self._window or resend is None:
            return False
        before = len(resend.entries)
        resend.entries = [entry for entry in resend.entries if entry.id != entry_id]
        self._window.take_out([entry_id])
        return len(resend.entries) < before

    def _finish(self) -> None:
        """R is deleted once nothing is left of it."""
        if self.streams.resend and not self.streams.resend.entries:
            self.streams.resend = None
            self._window = ResendWindow()

    def _dead_letter(self, letters) -> Durable:
        for letter in letters:
            if letter.id and self._take_out(letter.id):
                self._put(Kind.DEAD, letter.encode())
        self._finish()
        return self._append(Kind.DEAD, [letter.encode() for letter in letters if not letter.id])

    def _enforce(self, count: int) -> Dropped | None:
        settings = self.settings
        depth = sum((Depth(len(e), sum(len(x.data) for x in e)) for k, e in self._droppable()), Depth())
        if settings.limit_bytes is not None:
            state = self.state
            excess = (state.backlog + state.deferred + state.resend).bytes - settings.limit_bytes
            if excess > 0 and (dropped := self._drop(min(count, depth.entries - 1), lambda entry: True, excess)):
                return Dropped("limit-bytes", *dropped)
        if settings.limit_age is not None:
            before = self.redis.now() - round(settings.limit_age * 1000)
            if dropped := self._drop(count, lambda entry: int(entry.id.split(b"-")[0]) < before, None):
                return Dropped("limit-age", *dropped)
        return None

    def _droppable(self) -> list[tuple[Kind, list[Entry]]]:
        """What was not read out of R, by place."""
        return [
            (kind, [entry for entry in entries if entry.id not in self._window])
            for kind, entries in self.streams.seen()
            if kind is not Kind.DEAD
        ]

    def _drop(self, most: int, old: Callable[[Entry], bool], enough: int | None) -> tuple[list[bytes], Kind] | None:
        """Drop of the kind that has the oldest entry alone."""
        entries = [(_age(entry), kind, entry) for kind, entries in self._droppable() for entry in entries if old(entry)]
        if not entries or most < 1:
            return None
        kind = min(entries)[1]
        chosen: list[Entry] = []
        for _, _, entry in sorted(item for item in entries if item[1] is kind):
            if len(chosen) >= most or (enough is not None and sum(len(e.data) for e in chosen) >= enough):
                break
            chosen.append(entry)
        gone = {entry.id for entry in chosen}
        for queue in self.streams.queues.values():
            for stream in queue:
                stream.entries = [entry for entry in stream.entries if entry.id not in gone]
            queue[:] = [stream for stream in queue if stream.entries]
        if self.streams.resend:
            self.streams.resend.entries = [e for e in self.streams.resend.entries if e.id not in gone]
            self._finish()
        return [entry.data for entry in chosen], kind


def _age(entry: Entry) -> tuple[int, ...]:
    return tuple(map(int, entry.id.split(b"-")))


class MemorySpill:
    """The client of the server, as `forebay.spill.Spill` has it."""

    def __init__(self, redis: MemoryRedis) -> None:
        self.redis = redis
        self.metrics = SpillMetrics()
        self._spools: dict[str, MemorySpool] = {}
        self._listeners: list[Callable[[StateEvent], None]] = []

    @property
    def available(self) -> bool:
        return not self.redis.away

    @property
    def problem(self) -> str:
        return "Redis is away" if self.redis.away else ""

    @property
    def full(self) -> bool:
        return self.redis.room == 0

    def spool(self, owner: str, settings: SpoolSettings | None = None) -> MemorySpool:
        spool = self._spools.get(owner)
        if spool is None:
            spool = self._spools[owner] = MemorySpool(owner, self.redis, settings or SpoolSettings())
        elif settings:
            spool.settings = settings
        return spool

    async def owners(self) -> list[str]:
        await asyncio.sleep(0)
        self.redis.reach()
        return sorted(self.redis.owners)

    def on_state(self, listener: Callable[[StateEvent], None]) -> None:
        self._listeners.append(listener)

    def tell(self, change: Change, *, reason: str = "") -> None:
        """Tell the listeners of a change."""
        for listener in self._listeners:
            listener(StateEvent(change, "memory:0", reason))


def _depth(streams: list[Stream]) -> Depth:
    return sum((Depth(len(stream.entries), stream.bytes) for stream in streams), Depth())
