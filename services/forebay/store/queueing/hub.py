"""All queues of a store: publishing to them, consuming from them, and their configuration."""

import asyncio
from collections.abc import Callable, Sequence, Set
from pathlib import Path

import structlog
from google.protobuf.message import DecodeError

from forebay.api.v1alpha1 import StoreSpec
from forebay.msgstore import MessageStoreError
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.clock import Clock
from forebay.runtime.errors import FieldViolation, InvalidArgumentError
from forebay.runtime.tasks import Supervisor
from forebay.store.alarms import PressureAlarms
from forebay.store.mirroring.followers import Followers
from forebay.store.queueing import memory
from forebay.store.queueing.consuming import Consuming
from forebay.store.queueing.exchange import Exchange
from forebay.store.queueing.figures import Figures
from forebay.store.queueing.intake import Intake
from forebay.store.queueing.messages import Messages
from forebay.store.queueing.pressure import Alarms, Unwatched
from forebay.store.queueing.publishing import Publishing
from forebay.store.queueing.queueprocess import QueueProcess, not_found
from forebay.store.queueing.responses import deliveries
from forebay.store.queueing.rounds import Rounds, Safety
from forebay.store.queueing.spec import QueueSpec
from forebay.store.queueing.storage import Storage

log = structlog.stdlib.get_logger(__name__)

TICK_SECONDS = 2.5
"""Between looks at rates, memory and disk."""
LOOK_OCTETS = 8 << 20
"""Octets taken in after which it is time for another look, so that no limit is passed by far."""

IMMUTABLE = {"durable": "spec.durable", "max_priority": "spec.maxPriority", "implementation": "spec.implementation"}
"""Fields of a queue that stay as they are, with their names in the resource."""


class QueueHub:
    """Make it with `open_hub`, or with `open` on any storage. All of it belongs to one event loop."""

    def __init__(
        self,
        storage: Storage,
        spec: StoreSpec,
        tasks: Supervisor,
        clock: Clock,
        alarms: Alarms,
        followers: Followers | None = None,
    ) -> None:
        self.on_blocked: Callable[[str], None] = lambda _: None
        """Called with `blocked` after each change."""
        self._storage = storage
        self._tasks = tasks
        self._clock = clock
        self._alarms = alarms
        self._full = ""
        self._blocked = ""
        self._unseen = 0
        """Octets taken in since the last look at memory and disk."""
        self._rounds = Rounds(storage.persistent, storage.transient, clock, safety_of(spec), followers)
        self._followers = followers
        self._rounds.on_full = self._note_full
        self._exchange = Exchange(self._rounds)
        self._queues: dict[str, QueueProcess] = {}
        """By identity."""
        self._publishers: set[Publishing] = set()
        self._running: list[asyncio.Task[None]] = []
        self._set(spec)
        alarms.on_change = self._tell

    @classmethod
    async def open(
        cls,
        storage: Storage,
        spec: StoreSpec,
        queues: Sequence[QueueSpec],
        tasks: Supervisor,
        clock: Clock,
        alarms: Alarms | None = None,
        followers: Followers | None = None,
    ) -> "QueueHub":
        """Recover all queues; one that cannot be opened is tried again, and the others work meanwhile."""
        hub = cls(storage, spec, tasks, clock, alarms or Unwatched(), followers)
        go = asyncio.Event()
        for queue in queues:
            hub._start(queue, go)
        await hub._recount()
        go.set()
        hub._running = [
            tasks.spawn("rounds", hub._rounds.run),
            tasks.spawn("syncs", hub._rounds.run_syncs),
            tasks.spawn("watch over memory and disk", hub._watch),
        ]
        await asyncio.gather(*(process.ready.wait() for process in hub._queues.values()))
        hub._bind()
        return hub

    async def _recount(self) -> None:
        processes = self._queues.values()
        await asyncio.gather(*(process.opened.wait() for process in processes))
        opened = [process.backing for process in processes if process.backing is not None]
        if not self._storage.recount_needed:
            return
        if len(opened) < len(self._queues):
            log.error("not all queues could be read: no space is given back before the next start of the service")
            return
        await self._storage.recount(opened, self._storage.strangers(self._queues))

    # Publishing
    @property
    def blocked(self) -> str:
        """Why publishers have to wait: the alarms; empty: they need not."""
        return self._blocked

    def publisher(self, name: str) -> Publishing:
        """Begin to publish under a name; empty: without one."""
        session = Publishing(name, self._exchange.publish, self._intake, self._publishers.discard)
        self._publishers.add(session)
        return session

    def _intake(self, messages: Messages, publisher: str, first: int) -> Intake:
        sizes, limit = [len(content) for content in messages.contents], self._spec.messages.max_size
        if max(sizes) > limit:
            at = next(at for at, size in enumerate(sizes) if size > limit)
            raise _too_large(at, sizes[at], limit)
        try:
            intake = Intake(messages, self._now_ms, publisher=publisher, first=first)
        except DecodeError:
            raise _unsound() from None
        self._unseen += intake.octets
        if self._unseen >= LOOK_OCTETS:
            self._look()
        return intake

    @property
    def _now_ms(self) -> int:
        return int(self._clock.wall() * 1000)

    def _forward(self, letters: Sequence[pb.Message], done: Callable[[Set[int]], None]) -> None:
        self._exchange.forward(letters, self._now_ms, done)

    # Consuming
    def attach(self, start: pb.ConsumeStart, peer: str) -> Consuming:
        """Begin to consume.

        Raises `NotFoundError`, `FailedPreconditionError` beside an exclusive consumer, `UnavailableError` while the
        queue is not at work.
        """
        return Consuming(self._named(start.queue), start, peer)

    # Calls
    async def get(self, queue: str, count: int) -> pb.GetResponse:
        """Take messages. Raises `NotFoundError` or `UnavailableError`, as the others."""
        process = self._named(queue)
        runs, left = await process.get(count)
        answer = pb.GetResponse.FromString(deliveries(runs, 1, process.position))
        answer.left = left
        return answer

    async def browse(self, queue: str, position: int, count: int) -> pb.BrowseResponse:
        """Look at messages from a position on; 0: from the head."""
        process = self._named(queue)
        runs, following = await process.browse(position, count)
        answer = pb.BrowseResponse.FromString(deliveries(runs, 0, process.position))
        answer.next = following
        return answer

    async def purge(self, queue: str) -> int:
        """Remove what is ready; how many messages."""
        return await self._named(queue).purge()

    def list(self) -> Sequence[pb.QueueStatus]:
        """All queues, by name."""
        return [process.status() for process in sorted(self._queues.values(), key=lambda each: each.spec.name)]

    def describe(self, queue: str) -> pb.GetQueueResponse:
        """One queue. Raises `NotFoundError`."""
        return self._named(queue).describe()

    def figures(self) -> Figures:
        """The figures of this moment."""
        return Figures(
            persistent=self._storage.persistent.stats,
            transient=self._storage.transient.stats,
            index_writes=self._rounds.writes,
            index_syncs=self._rounds.syncs,
            index_sync_seconds=self._rounds.sync_seconds,
            unconfirmed=sum(publisher.unconfirmed for publisher in self._publishers),
            disk_free=self._storage.disk.free_bytes(),
            disk_limit=self._spec.storage.free_limit,
            memory=self._memory(),
            memory_limit=self._memory_limit,
            alarms=self._alarms.raised(),
        )

    def _named(self, queue: str) -> QueueProcess:
        process = self._exchange.queues.get(queue)
        if process is None:
            raise not_found(queue)
        return process

    # Configuration
    async def apply(
        self, spec: StoreSpec, queues: Sequence[QueueSpec], spared: Set[str] = frozenset()
    ) -> dict[str, FieldViolation]:
        """Make these the settings and the queues; what is wrong with a queue, by its identity.

        A queue that is not among them is removed with its messages, at work or only on disk; but for those spared: what
        is on disk of these identities stays.
        """
        self._set(spec)
        wanted = {queue.uid: queue for queue in queues}
        removed = [self._queues.pop(uid) for uid in list(self._queues) if uid not in wanted]
        self._bind()
        for process in removed:
            log.info("queue is removed", queue=process.spec.name)
            await process.remove()
        for uid in self._storage.strangers(wanted.keys() | spared):
            await self._storage.erase(uid)
        violations: dict[str, FieldViolation] = {}
        for uid, queue in wanted.items():
            if known := self._queues.get(uid):
                violations.update(_change(known, queue))
            else:
                self._start(queue)
        await asyncio.gather(*(process.ready.wait() for process in self._queues.values()))
        self._bind()
        return violations

    def _start(self, queue: QueueSpec, go: asyncio.Event | None = None) -> None:
        process = QueueProcess(queue, self._storage.site, self._rounds, self._forward, self._followers)
        process.go = go
        self._queues[queue.uid] = process
        process.start(self._tasks)

    def _bind(self) -> None:
        self._exchange.queues = {process.spec.name: process for process in self._queues.values()}
        self._exchange.routes.bind({process.spec.name: process.spec.bindings for process in self._queues.values()})

    def _set(self, spec: StoreSpec) -> None:
        self._spec = spec
        self._rounds.safety = safety_of(spec)
        self._alarms.set_limits(self._memory_limit, spec.storage.free_limit)

    @property
    def _memory_limit(self) -> int:
        """Octets that messages may take."""
        return int(self._spec.memory.limit * self._spec.memory.high_watermark)

    # Memory and disk
    async def _watch(self) -> None:
        while True:
            await self._clock.sleep(TICK_SECONDS)
            self._look()

    def _look(self) -> None:
        """Renew rates and targets, and let the alarms see."""
        self._unseen = 0
        live = [process.live for process in self._queues.values() if process.live]
        used = self._memory()
        duration = memory.target(used, self._memory_limit, [queue.core.backing.duration for queue in live])
        for queue in live:
            queue.pace(duration)
        self._alarms.check(used, self._storage.disk.free_bytes())

    def _memory(self) -> int:
        return sum(memory.taken(process.live.core.backing) for process in self._queues.values() if process.live)

    def _note_full(self, problem: str) -> None:
        self._full = f"DISK: {problem}" if problem else ""
        self._tell()

    def _tell(self) -> None:
        blocked = self._alarms.blocked or self._full
        if blocked != self._blocked:
            self._blocked = blocked
            self.on_blocked(blocked)

    # The end
    async def close(self) -> None:
        """Write everything and close it. No session is left."""
        rounds = self._running[0]
        passed = asyncio.ensure_future(self._rounds.passed())
        await asyncio.wait([passed, rounds], return_when=asyncio.FIRST_COMPLETED)
        for process in self._queues.values():
            await process.stop()
        for task in (passed, *self._running):
            task.cancel()
        await asyncio.gather(*self._running, passed, return_exceptions=True)
        try:
            await self._rounds.close()
        except MessageStoreError as error:
            log.error("the disk failed at the end", problem=str(error))
        await self._storage.close()


def safety_of(spec: StoreSpec) -> Safety:
    """When what is written counts as safe, by the resource."""
    return Safety(spec.fsync.mode.value, spec.fsync.interval.total_seconds())


def _change(process: QueueProcess, queue: QueueSpec) -> dict[str, FieldViolation]:
    for name, field in IMMUTABLE.items():
        if getattr(queue, name) != getattr(process.spec, name):
            problem = "cannot be changed: make another StoreQueue, and remove this one when it is empty"
            return {queue.uid: FieldViolation(field, problem)}
    if queue != process.spec:
        process.change(queue)
    return {}


def _unsound() -> InvalidArgumentError:
    problem = "holds octets that are no Message: send what the generated classes make"
    return InvalidArgumentError(f"messages {problem}", violations=[FieldViolation("messages", problem)])


def _too_large(at: int, size: int, limit: int) -> InvalidArgumentError:
    field = f"messages[{at}]"
    problem = f"has {size} octets, the store takes {limit}: split it, or raise spec.messages.maxSize of the Store"
    return InvalidArgumentError(f"{field} {problem}", violations=[FieldViolation(field, problem)])


async def open_hub(
    folder: Path,
    spec: StoreSpec,
    queues: Sequence[QueueSpec],
    tasks: Supervisor,
    clock: Clock,
    followers: Followers | None = None,
) -> QueueHub:
    """Open the queues in a folder and recover them; long-lived tasks belong to the supervisor.

    followers: of a store that has mirrors.
    """
    storage = await Storage.open(folder, clock, spec.index)
    return await QueueHub.open(storage, spec, queues, tasks, clock, PressureAlarms(clock), followers)
