"""A hub under test: queues on a disk, publishers that wait for their outcomes, consumers that tell what they got."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from eventually import eventually
from forebay.api.v1alpha1 import StoreSpec
from forebay.msgstore import Disk
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.backoff import BackoffSettings
from forebay.runtime.clock import Clock, SystemClock
from forebay.runtime.tasks import Supervisor
from forebay.store.queueing import queueprocess
from forebay.store.queueing.hub import QueueHub
from forebay.store.queueing.messages import Messages
from forebay.store.queueing.spec import QueueSpec
from forebay.store.queueing.storage import Storage

if TYPE_CHECKING:
    from forebay.store.queueing.pressure import Alarms

SECONDS = 20.0
"""Longer than anything takes that goes well."""
QUICK = BackoffSettings(first=0.01, longest=0.05)
"""Restarts of queues under test."""

ACK, REQUEUE, REJECT = pb.DISPOSITION_ACK, pb.DISPOSITION_REQUEUE, pb.DISPOSITION_REJECT
CONFIRMED, UNROUTED, REFUSED, DUPLICATE = (
    pb.OUTCOME_CONFIRMED,
    pb.OUTCOME_UNROUTED,
    pb.OUTCOME_REFUSED,
    pb.OUTCOME_DUPLICATE,
)


def queue(name: str, **spec: Any) -> QueueSpec:
    """A queue, bound to its own name where nothing else is said."""
    return QueueSpec(name, f"uid-{name}", **{"bindings": (name,), **spec})


def message(address: str, body: bytes, **fields: Any) -> pb.Message:
    return pb.Message(address=address, body=body, **fields)


class Source:
    """A publisher; `outcomes` gathers what it is told."""

    def __init__(self, hub: QueueHub, name: str = "", first: int = 1) -> None:
        self.session = hub.publisher(name)
        self.next = first
        self.confirms: list[pb.Confirm] = []
        self.news = asyncio.Event()
        self.session.wake = self.news.set

    def send(self, messages: Sequence[pb.Message]) -> None:
        self.session.publish(self.next, Messages.of(messages))
        self.next += len(messages)

    def look(self) -> list[int]:
        """Outcomes so far, one for each message."""
        self.confirms += self.session.take()
        return [confirm.outcome for confirm in self.confirms for _ in range(confirm.count)]

    async def outcomes(self, count: int) -> list[int]:
        """All outcomes, once there are so many."""
        async with asyncio.timeout(SECONDS):
            while len(self.look()) < count:
                self.news.clear()
                if len(self.look()) < count:
                    await self.news.wait()
        return self.look()


class Tap:
    """A consumer that takes as a stream does."""

    def __init__(self, hub: QueueHub, queue: str, *, credit: int = 1000, **start: Any) -> None:
        self.session = hub.attach(pb.ConsumeStart(queue=queue, credit=credit, **start), "test")
        self.got: list[pb.Delivery] = []
        self.settled: list[int] = []
        self.active: bool | None = None
        self.news = asyncio.Event()
        self.session.wake = self.news.set
        self.look()

    def look(self) -> None:
        """Take all there is."""
        while octets := self.session.take():
            response = pb.ConsumeResponse.FromString(octets)
            self.got += response.deliveries
            self.settled += [n for run in response.settled for n in range(run.first, run.first + run.count)]
            if response.HasField("active"):
                self.active = response.active

    async def until(self, condition: Callable[[], bool]) -> None:
        """Take until that is so."""
        async with asyncio.timeout(SECONDS):
            while True:
                self.news.clear()
                self.look()
                if condition():
                    return
                await self.news.wait()

    async def deliveries(self, count: int) -> list[pb.Delivery]:
        """The first so many deliveries of all, once they are there."""
        await self.until(lambda: len(self.got) >= count)
        return self.got[:count]

    async def bodies(self, count: int) -> list[bytes]:
        return [delivery.message.body for delivery in await self.deliveries(count)]

    def settle(self, first: int, count: int = 1, disposition: pb.Disposition = ACK) -> None:
        self.session.settle([pb.Settlement(first=first, count=count, disposition=disposition)])

    async def settle_safely(self, first: int, count: int = 1, disposition: pb.Disposition = ACK) -> None:
        self.settle(first, count, disposition)
        await self.until(lambda: set(range(first, first + count)) <= set(self.settled))

    def close(self) -> None:
        self.session.close()


class Queues:
    """A hub that is opened, closed and opened again on one disk."""

    def __init__(self, disk: Disk, clock: Clock | None = None, *, checked: bool = True) -> None:
        self.disk = disk
        self.clock = clock or SystemClock()
        self.checked = checked
        self.store = StoreSpec()
        self.hub: QueueHub
        self.tasks: Supervisor
        self.is_open = False
        self.alarms: Alarms | None = None
        self.specs: list[QueueSpec] = []

    async def open(self, *specs: QueueSpec) -> QueueHub:
        self.specs = list(specs)
        self.tasks = Supervisor(self.clock)
        storage = await Storage.open_on(self.disk, self.clock, checked=self.checked)
        self.hub = await QueueHub.open(storage, self.store, specs, self.tasks, self.clock, self.alarms)
        self.is_open = True
        return self.hub

    async def apply(self, *specs: QueueSpec) -> dict[str, Any]:
        self.specs = list(specs)
        return await self.hub.apply(self.store, specs)

    async def close(self) -> None:
        if self.is_open:
            self.is_open = False
            await self.hub.close()
            await self.tasks.close()

    async def reopen(self) -> QueueHub:
        await self.close()
        return await self.open(*self.specs)

    async def lose_power(self, disk: Disk) -> QueueHub:
        """Go on with what the disk has kept; what ran before is left alone, it writes to a disk that is no more."""
        await self.abandon()
        self.disk = disk
        return await self.open(*self.specs)

    async def abandon(self) -> None:
        """End everything without writing anything."""
        self.is_open = False
        await self.tasks.close()
        storage = self.hub._storage
        for store in (storage.persistent, storage.transient):
            store._collector.close()
            store._committer.close()
            store._reader.close()
            store._closed = True

    async def publish(self, address: str, *bodies: bytes, **fields: Any) -> list[int]:
        """Publish, and return the outcomes."""
        source = Source(self.hub)
        source.send([message(address, body, **fields) for body in bodies])
        outcomes = await source.outcomes(len(bodies))
        source.session.close()
        return outcomes

    def status(self, name: str) -> pb.QueueStatus:
        return self.hub.describe(name).status

    async def browse(self, name: str) -> list[pb.Delivery]:
        return list((await self.hub.browse(name, 0, 1000)).deliveries)

    async def contents(self, name: str) -> list[bytes]:
        return [delivery.message.body for delivery in await self.browse(name)]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let the hub work until that is so."""
        await eventually(condition, within=SECONDS, every=0.002)

    async def pass_time(self, seconds: float) -> None:
        """With a clock of the test: take it forward, and let what is due be done."""
        await self.clock.run(seconds)  # type: ignore[attr-defined]


def restart_quickly(monkeypatch: Any) -> None:
    monkeypatch.setattr(queueprocess, "RESTART", QUICK)
