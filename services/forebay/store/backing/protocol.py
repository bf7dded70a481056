"""What a queue process needs of the queue under it; implementations are found by name, and proxies wrap each other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from forebay.msgstore import Taken
from forebay.store.backing.run import Arrival, Run, Span


class Bodies(Protocol):
    """Contents that are not embedded; `MessageStore` is one."""

    async def fetch(self, ids: Sequence[bytes]) -> list[bytes | None]:
        """Contents in the order of the ids; None for one that is not there or damaged."""
        ...

    def remove(self, ids: Sequence[bytes]) -> None:
        """Take one reference from each."""
        ...


class Batch(NamedTuple):
    """What happened to a queue up to one instant, on its way to the disk. It counts from the queue's start.

    One that could not be written may be thrown away: the next that is taken covers it.
    """

    taken: tuple[Taken, ...]
    """What the indexes must write, one for each level."""
    arrivals: tuple[int, ...]
    """Runs published, for each level."""
    releases: tuple[int, ...]
    """References that are no longer needed, for each level."""

    @property
    def needs_disk(self) -> bool:
        """There is something to write."""
        return any(taken.upto for taken in self.taken)


class Browsed(NamedTuple):
    """Messages that were looked at."""

    runs: list[Run]
    """In the order of the queue, contents in memory; those that are held among them."""
    next: int
    """Position from which to look on; 0 when there are no more."""


@dataclass(slots=True)
class Insides:
    """What goes on inside a queue of one level; numbers of messages where nothing else is said."""

    level: int
    q1: int
    q2: int
    delta: int
    q3: int
    q4: int
    next_seq: int
    target_ram_count: int | None
    """Messages that may be in memory; None for all."""
    ram_count: int
    ram_octets: int
    """Octets of contents in memory, those of held messages and of the index included."""
    ingress_rate: float
    """Messages a second, as the other rates."""
    egress_rate: float
    ack_ingress_rate: float
    ack_egress_rate: float


class BackingQueue(Protocol):
    """A queue of messages with persistence. All of it belongs to one event loop but for `write` and `checkpoint`.

    published -> ready -> held (unacknowledged) -> acknowledged, or back to ready by `requeue`. What is published is
    ready once the `Batch` that covers it was written and settled. `fetch`, `drop` and `expire` hand messages out: they
    are held until `ack` or `requeue`. What is not written survives no crash.
    """

    def publish(self, arrivals: Sequence[Arrival]) -> list[Span]:
        """Messages came in: they get their numbers. The spans name them in the order of the arrivals."""
        ...

    def take(self) -> Batch | None:
        """What happened up to now and is not written; None when that is nothing. One batch at a time."""
        ...

    def write(self, batch: Batch, *, sync: bool = True) -> None:
        """Write a batch; blocks, and may run in another thread. sync: make it durable.

        Raises `DiskFullError`: nothing is lost, throw the batch away and take another later; `StoreFailedError` is
        final.
        """
        ...

    def settle(self, batch: Batch) -> int:
        """A batch was written: what it covers becomes ready, what it releases goes. How many messages became ready."""
        ...

    @property
    def unsynced(self) -> bool:
        """Something was written without being made durable."""
        ...

    def sync(self) -> None:
        """Make durable what was written; blocks, as `write` does, with its errors."""
        ...

    def fetch(self, count: int, octets: int, *, counted: bool = True) -> list[Run]:
        """Hand out from the head, at most so many messages and octets, but at least one; contents are in memory.

        counted: it counts as a delivery, also over a restart. Nothing when there is none, or while `cold`. What has
        expired is not left out: call `expire` before.
        """
        ...

    @property
    def cold(self) -> bool:
        """There are ready messages, but the contents of the first are on disk alone: await `warm`."""
        ...

    @property
    def cooling(self) -> bool:
        """It will be cold soon: `warm` in good time keeps deliveries flowing."""
        ...

    async def warm(self) -> None:
        """Load contents from the disk for the next `fetch`; other calls go on meanwhile."""
        ...

    def ack(self, spans: Sequence[Span]) -> None:
        """Held messages are done with. Raises `UnknownSpanError` for any that is not held; then nothing is done."""
        ...

    def requeue(self, spans: Sequence[Span]) -> None:
        """Held messages become ready again, in their old places. Raises as `ack`."""
        ...

    def held(self, spans: Sequence[Span]) -> list[Run]:
        """The held messages of these spans; contents may be on disk alone. Raises as `ack`."""
        ...

    def drop(self, count: int) -> list[Run]:
        """Hand out the messages a full queue has to lose, at most so many; contents may be on disk alone.

        They are the oldest of the lowest priority. Fewer than asked for where the disk must be read first: await
        `warm_victims`, then drop on.
        """
        ...

    async def warm_victims(self) -> None:
        """Load what the next `drop` needs."""
        ...

    def expire(self, now_ms: int) -> list[Run]:
        """Hand out all ready messages that have expired and whose places are in memory; contents may be on disk."""
        ...

    async def expire_deep(self, now_ms: int) -> list[Run]:
        """As `expire`, of the messages that are on disk alone; at most some thousands a call."""
        ...

    def next_expiry(self) -> int:
        """When the next ready message may expire, in milliseconds since the epoch; 0 for never."""
        ...

    async def contents_of(self, runs: Sequence[Run]) -> list[Run]:
        """These messages with their contents in memory; any that is damaged is missing, logged by name."""
        ...

    def head(self) -> Run | None:
        """The first ready message; its content may be on disk alone. None when there is none."""
        ...

    def position(self, span: Span) -> int:
        """Place of the first message of a span in the order of the queue; the others count on from it."""
        ...

    async def browse(self, position: int, count: int, octets: int) -> Browsed:
        """Look at messages from a position on, 0 for the first; at most so many and so many octets, but one."""
        ...

    async def purge(self) -> int:
        """Acknowledge all ready messages; how many."""
        ...

    def __len__(self) -> int:
        """Ready messages."""
        ...

    @property
    def octets(self) -> int:
        """Octets of ready messages."""
        ...

    @property
    def unacked(self) -> int:
        """Held messages."""
        ...

    @property
    def unacked_octets(self) -> int:
        """Octets of held messages."""
        ...

    @property
    def ram_octets(self) -> int:
        """Octets of contents in memory."""
        ...

    def insides(self) -> list[Insides]:
        """What goes on inside, the highest level first."""
        ...

    def set_target(self, duration: float) -> None:
        """Keep in memory what comes and goes in so many seconds; inf for all."""
        ...

    @property
    def duration(self) -> float:
        """Seconds of coming and going that the messages in memory stand for; inf when nothing moves."""
        ...

    def update_rates(self) -> None:
        """Renew the averages and with them the target; to be called every few seconds."""
        ...

    @property
    def checkpoint_due(self) -> bool:
        """It is time for a `checkpoint`."""
        ...

    def checkpoint(self) -> None:
        """Work the journals into their segments; blocks, as `write` does, with its errors; not during a `write`."""
        ...

    def mark(self, name: bytes, value: int) -> None:
        """Keep a small fact beside the messages, durable with what was published before; see `QueueIndex.mark`."""
        ...

    def marks(self) -> dict[bytes, int]:
        """All small facts."""
        ...

    def references(self) -> Iterator[tuple[bytes, int]]:
        """Ids that this queue needs of the store of persistent messages, with their number; blocks. For a recount."""
        ...

    async def unmarked(self) -> list[Run]:
        """Messages that the start found behind the last mark, with contents: a mark about them may be lost."""
        ...

    def close(self) -> None:
        """Write everything and close the files; blocks."""
        ...

    def erase(self) -> None:
        """Take the references of all messages back and delete the files; blocks."""
        ...

    def check(self) -> None:
        """Raise `BrokenQueueError` when an invariant does not hold."""
        ...
