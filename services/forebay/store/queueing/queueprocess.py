"""The process of one queue: it decides what it is, becomes it, and after a crash decides again. Others go on."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import structlog

from forebay.msgstore import MessageStoreError
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.backoff import BackoffSettings
from forebay.runtime.errors import FieldError, NotFoundError, Resource, ServiceError, UnavailableError
from forebay.runtime.tasks import Supervisor
from forebay.store.backing import queuefolder
from forebay.store.backing.arrivals import Arrivals
from forebay.store.backing.queuefolder import in_thread
from forebay.store.backing.registry import Site
from forebay.store.backing.run import Run, Span
from forebay.store.errors import UnknownDeliveryError
from forebay.store.mirroring.followers import Followers
from forebay.store.queueing import counting, prequeue
from forebay.store.queueing.admission import Admission
from forebay.store.queueing.consumers import Consumer
from forebay.store.queueing.intake import Intake
from forebay.store.queueing.letterbox import Forward
from forebay.store.queueing.livequeue import LiveQueue
from forebay.store.queueing.rounds import Rounds
from forebay.store.queueing.spec import QueueSpec
from forebay.store.queueing.ticket import REFUSED, Ticket
from forebay.store.queueing.waiting import Call

if TYPE_CHECKING:
    from forebay.store.backing.protocol import BackingQueue

log = structlog.stdlib.get_logger(__name__)

RESTART = BackoffSettings(first=0.1, longest=30.0)
RETRY_SECONDS = 1.0
GET_OCTETS = 16 << 20
"""Octets of a response to Get or Browse, but for the last message."""


class QueueProcess:
    """One StoreQueue. Its calls raise `UnavailableError` while it is not at work.

    An exception in any call is a crash of this queue alone: consumers and publishers are told, and it starts again
    after a back-off.
    """

    def __init__(
        self, spec: QueueSpec, site: Site, rounds: Rounds, forward: Forward, followers: Followers | None = None
    ) -> None:
        self.spec = spec
        self.live: LiveQueue | None = None
        """None while it is not at work."""
        self.counters = counting.Counters()
        self.opened = asyncio.Event()
        """It has been tried to open it."""
        self.ready = asyncio.Event()
        """It is at work, or its first start went wrong."""
        self.reason = ""
        """Why it is not at work: its last crash."""
        self._site = site
        self._rounds = rounds
        self._forward = forward
        self._followers = followers
        self._task: asyncio.Task[None] | None = None
        self.go: asyncio.Event | None = None
        """If there is one, it works only once this is set: the references of all queues are counted before."""
        self.backing: BackingQueue | None = None

    def start(self, tasks: Supervisor) -> None:
        """Begin to work, and begin again after each crash."""
        self._task = tasks.spawn(f"queue {self.spec.name}", self._run, RESTART)

    async def _run(self) -> None:
        try:
            await self._open()
        except Exception as error:
            self.reason = described(error)
            self.ready.set()
            raise
        finally:
            self.opened.set()
        await self._work()

    async def _open(self) -> None:
        found = await in_thread(lambda: self._site.disk.exists(queuefolder.folder_of(self.spec.uid)))
        role = prequeue.decide(self.spec, found=found)
        log.info("queue starts", queue=self.spec.name, role=role.value)
        self.backing = await prequeue.become(role, self.spec, self._site, self._followers)

    async def _work(self) -> None:
        if self.go:
            await self.go.wait()
        backing = self.backing
        assert backing is not None  # noqa: S101 - it was opened
        live = LiveQueue(self.spec, backing, self.counters, self._site.clock, self._rounds, self._forward)
        try:
            await live.recover()
            live.change(self.spec)
            self.live, self.reason = live, ""
            self.ready.set()
            await live.work()
        except Exception as error:
            self.reason = described(error)
            self.ready.set()
            raise
        finally:
            await self._leave(live)

    async def _leave(self, live: LiveQueue) -> None:
        """The queue is no longer at work: tell all, and let go of its files."""
        self.live = None
        problem = f"queue {self.spec.name} crashed ({self.reason}): try again"
        gone = UnavailableError(problem, reason="QUEUE_CRASHED", retry_after=RETRY_SECONDS)
        for consumer in live.delivering.consumers.all():
            consumer.fail(gone)
        live.end(f"queue {self.spec.name} crashed meanwhile: publish again")
        if self.reason:
            await self._let_go(live)

    async def _let_go(self, live: LiveQueue) -> None:
        """After a crash: keep what has happened so far, as far as that still goes, and close the files.

        Contents go first, as ever: an index never names what is not there.
        """
        await self._rounds.free(live)
        await self._rounds.passed()
        backing = live.core.backing
        try:
            if batch := backing.take():
                await in_thread(lambda: backing.write(batch))
                backing.settle(batch)
        except Exception as error:  # noqa: BLE001 - it has crashed already; what counts is on disk
            log.warning("what a crashed queue did last may be lost", queue=self.spec.name, problem=described(error))
        await self._close()

    async def stop(self) -> None:
        """Work no more; files are closed."""
        live = self.live
        await self._end()
        if live:
            await self._rounds.free(live)
        await self._close()

    async def _close(self) -> None:
        backing, self.backing = self.backing, None
        if backing is not None:
            try:
                await in_thread(backing.close)
            except (MessageStoreError, OSError, ValueError) as error:
                log.warning("a queue could not be closed", queue=self.spec.name, problem=described(error))

    async def remove(self) -> None:
        """The StoreQueue is gone: its messages go with it."""
        live = self.live
        missing = not_found(self.spec.name)
        if live:
            for consumer in live.delivering.consumers.all():
                consumer.fail(missing)
        await self._end()
        if live:
            await self._rounds.free(live)
        await self._rounds.passed()
        await self._erase()

    async def _erase(self) -> None:
        """Delete what is on disk, and take the references of its messages back."""
        try:
            role = prequeue.Role.RECOVERING
            backing = self.backing
            if backing is None:
                backing = await prequeue.become(role, self.spec, self._site, self._followers)
            await in_thread(backing.erase)
        except (MessageStoreError, FieldError) as error:
            log.warning("a queue cannot be read; it is deleted", queue=self.spec.name, problem=described(error))
        if self._followers:
            self._followers.forget(self.spec.uid)
        await in_thread(lambda: queuefolder.erase(self._site.disk, queuefolder.folder_of(self.spec.uid)))

    async def _end(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])

    def change(self, spec: QueueSpec) -> None:
        """It is to be another from now on."""
        self.spec = spec
        if self.live:
            with self._guard() as live:
                live.change(spec)

    # Publishing
    def admit(self, intake: Intake, positions: Sequence[int], name: bytes, first: int) -> Admission:
        """What would become of messages of a batch; see `LiveQueue.admit`."""
        try:
            with self._guard() as live:
                return live.admit(intake, positions, name, first)
        except UnavailableError as error:
            return Admission((), refused=positions, reason=error.message, broken=True)

    def enter(self, arrivals: Arrivals, admitted: Admission, intake: Intake, ticket: Ticket) -> None:
        """Take in what was admitted just before; a crash is told to the ticket."""
        lost, reason = admitted.refused, admitted.reason
        try:
            if not admitted.broken:
                with self._guard() as live:
                    return live.enter(arrivals, admitted, intake, ticket)
        except UnavailableError as error:
            lost, reason = [*admitted.kept, *admitted.duplicates, *admitted.expired], error.message
        ticket.note(lost, REFUSED, reason)
        return ticket.broken.update(lost)

    def number(self, name: bytes, first: int, admitted: Admission) -> None:
        """Note which messages of a named publisher were admitted; first: number of that at position 0."""
        with suppress(UnavailableError), self._guard() as live:
            live.number(name, first, admitted)

    # Consuming
    def attach(self, consumer: Consumer) -> None:
        """Raises `FailedPreconditionError`."""
        with self._guard() as live:
            live.delivering.consumers.add(consumer)
            live.use()

    @contextmanager
    def at(self, consumer: Consumer) -> Iterator[LiveQueue]:
        """Work on the queue of a consumer that is attached."""
        with self._guard() as live:
            yield live

    # Calls
    async def get(self, count: int) -> tuple[list[Run], int]:
        """Take messages, safely on return; with how many are left."""
        with self._guard() as live:
            live.delivering.consumers.check(exclusive=False)
            runs = await live.get(count, GET_OCTETS)
            left = len(live.core.backing)
            future = asyncio.get_running_loop().create_future()
            live.core.wait(Call(future))
        await future
        return runs, left

    async def browse(self, position: int, count: int) -> tuple[list[Run], int]:
        """Look at messages; with the position from which to look on."""
        with self._guard() as live:
            return await live.core.backing.browse(position, count, GET_OCTETS)

    def position(self, span: Span) -> int:
        """Place of the first message of a span in the order of the queue."""
        with self._guard() as live:
            return live.core.backing.position(span)

    async def purge(self) -> int:
        """Remove what is ready, safely on return."""
        with self._guard() as live:
            removed = await live.purge()
            future = asyncio.get_running_loop().create_future()
            live.core.wait(Call(future))
        await future
        return removed

    @contextmanager
    def _guard(self) -> Iterator[LiveQueue]:
        """Raises `UnavailableError` when the queue is not at work, or crashes by what is done within."""
        live = self.live
        if live is None or live.failed:
            raise self._unavailable()
        try:
            yield live
        except (ServiceError, UnknownDeliveryError):
            raise
        except Exception as error:
            if self.live is live:
                self.reason, self.live = described(error), None
            live.crash(error)
            raise self._unavailable() from error

    def _unavailable(self) -> UnavailableError:
        if self.reason:
            problem = f"queue {self.spec.name} crashed ({self.reason}) and is started again: try again"
            return UnavailableError(problem, reason="QUEUE_CRASHED", retry_after=RETRY_SECONDS)
        problem = f"queue {self.spec.name} is reading what is on disk: try again"
        return UnavailableError(problem, reason="QUEUE_RECOVERING", retry_after=RETRY_SECONDS)

    # Looking
    @property
    def state(self) -> pb.QueueState:
        """A QueueState."""
        if self.live:
            return pb.QUEUE_STATE_RUNNING
        return pb.QUEUE_STATE_CRASHED if self.reason else pb.QUEUE_STATE_RECOVERING

    def status(self) -> pb.QueueStatus:
        """How it is."""
        spec = self.spec
        status = pb.QueueStatus(
            name=spec.name, uid=spec.uid, state=self.state, reason=self.reason, durable=spec.durable
        )
        status.counters.CopyFrom(self.counters.shown())
        if live := self.live:
            counting.show_contents(status, live.core.backing)
            status.unacked -= live.core.losing
            status.unacked_bytes -= live.core.losing_octets
            status.consumers = len(live.delivering.consumers)
            status.consumer_capacity = live.delivering.capacity.part()
        return status

    def describe(self) -> pb.GetQueueResponse:
        """How it is, with all that goes on inside."""
        answer = pb.GetQueueResponse(status=self.status())
        if live := self.live:
            answer.insides.extend(map(counting.show_insides, live.core.backing.insides()))
            answer.consumers.extend(map(counting.show_consumer, live.delivering.consumers.all()))
        return answer


def not_found(queue: str) -> NotFoundError:
    """There is no such queue."""
    problem = f"there is no queue {queue}: apply a StoreQueue of that name, or see `forebay store queues`"
    return NotFoundError(problem, resource=Resource("StoreQueue", queue))


def described(error: Exception) -> str:
    """An exception in a line."""
    return f"{type(error).__name__}: {error}"
