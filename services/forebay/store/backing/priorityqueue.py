"""A queue with priorities: one backing queue a level, the highest first."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import inf
from typing import TypeVar

from forebay.msgstore import Taken
from forebay.store.backing.protocol import BackingQueue, Batch, Browsed, Insides
from forebay.store.backing.run import Arrival, Run, Span, total

T = TypeVar("T")

RANK = 48
"""Bits of a position below the rank of its level, which is 0 for the highest."""

_IDLE = Batch((Taken(0),), (0,), (0,))


class PriorityQueue:
    """A `BackingQueue` over several of one level each. Runs and spans carry the level; counts are sums.

    levels: by priority, 0 first. A priority above the highest counts as that. A full queue loses the oldest messages
    of the lowest priority.
    """

    def __init__(self, levels: Sequence[BackingQueue]) -> None:
        self._levels = list(levels)
        self._top = len(levels) - 1

    def publish(self, arrivals: Sequence[Arrival]) -> list[Span]:
        """See `BackingQueue`."""
        by_level: dict[int, list[Arrival]] = {}
        for arrival in arrivals:
            by_level.setdefault(min(arrival.priority, self._top), []).append(arrival)
        numbers: dict[int, int] = {}
        for level, group in by_level.items():
            (span,) = self._levels[level].publish(group)
            numbers[level] = span.first
        spans: list[Span] = []
        for level, same in groupby(min(arrival.priority, self._top) for arrival in arrivals):
            spans.append(Span(level, numbers[level], sum(1 for _ in same)))
            numbers[level] += spans[-1].count
        return spans

    def take(self) -> Batch | None:
        """See `BackingQueue`."""
        batches = [queue.take() for queue in self._levels]
        if not any(batches):
            return None
        taken, arrivals, releases = zip(*(batch or _IDLE for batch in batches), strict=True)
        return Batch(
            tuple(level for (level,) in taken),
            tuple(level for (level,) in arrivals),
            tuple(level for (level,) in releases),
        )

    def write(self, batch: Batch, *, sync: bool = True) -> None:
        """See `BackingQueue`."""
        for queue, part in zip(self._levels, _parts(batch), strict=True):
            if part.needs_disk:
                queue.write(part, sync=sync)

    def settle(self, batch: Batch) -> int:
        """See `BackingQueue`."""
        return sum(queue.settle(part) for queue, part in zip(self._levels, _parts(batch), strict=True))

    @property
    def unsynced(self) -> bool:
        """See `BackingQueue`."""
        return any(queue.unsynced for queue in self._levels)

    def sync(self) -> None:
        """See `BackingQueue`."""
        for queue in self._levels:
            if queue.unsynced:
                queue.sync()

    def fetch(self, count: int, octets: int, *, counted: bool = True) -> list[Run]:
        """See `BackingQueue`."""
        fetched: list[Run] = []
        for level, queue in self._from_the_top():
            while count > 0 and (octets > 0 or not fetched):
                runs = queue.fetch(count, max(octets, 0), counted=counted)
                if not runs:
                    break
                fetched += [run.at_level(level) for run in runs]
                count -= total(runs)
                octets -= sum(run.octets for run in runs)
            if len(queue):
                break
        return fetched

    @property
    def cold(self) -> bool:
        """See `BackingQueue`."""
        queue = self._highest()
        return queue is not None and queue.cold

    @property
    def cooling(self) -> bool:
        """See `BackingQueue`."""
        queue = self._highest()
        return queue is not None and queue.cooling

    async def warm(self) -> None:
        """See `BackingQueue`."""
        queue = self._highest()
        if queue is not None:
            await queue.warm()

    def ack(self, spans: Sequence[Span]) -> None:
        """See `BackingQueue`."""
        self.held(spans)
        for queue, part in self._by_level(spans):
            queue.ack(part)

    def requeue(self, spans: Sequence[Span]) -> None:
        """See `BackingQueue`."""
        self.held(spans)
        for queue, part in self._by_level(spans):
            queue.requeue(part)

    def held(self, spans: Sequence[Span]) -> list[Run]:
        """See `BackingQueue`."""
        return [run.at_level(span.level) for span in spans for run in self._levels[span.level].held([_bare(span)])]

    def drop(self, count: int) -> list[Run]:
        """See `BackingQueue`."""
        dropped: list[Run] = []
        for level, queue in enumerate(self._levels):
            runs = queue.drop(count - total(dropped))
            dropped += [run.at_level(level) for run in runs]
            if total(dropped) == count or len(queue):
                break
        return dropped

    async def warm_victims(self) -> None:
        """See `BackingQueue`."""
        for queue in self._levels:
            if len(queue):
                await queue.warm_victims()
                return

    def expire(self, now_ms: int) -> list[Run]:
        """See `BackingQueue`."""
        return [run.at_level(level) for level, queue in self._from_the_top() for run in queue.expire(now_ms)]

    async def expire_deep(self, now_ms: int) -> list[Run]:
        """See `BackingQueue`."""
        expired: list[Run] = []
        for level, queue in self._from_the_top():
            expired += [run.at_level(level) for run in await queue.expire_deep(now_ms)]
        return expired

    def next_expiry(self) -> int:
        """See `BackingQueue`."""
        return min(filter(None, (queue.next_expiry() for queue in self._levels)), default=0)

    async def contents_of(self, runs: Sequence[Run]) -> list[Run]:
        """See `BackingQueue`."""
        loaded: list[Run] = []
        for level, group in groupby(runs, key=lambda run: run.level):
            loaded += [run.at_level(level) for run in await self._levels[level].contents_of(list(group))]
        return loaded

    def head(self) -> Run | None:
        """See `BackingQueue`."""
        for level, queue in self._from_the_top():
            if head := queue.head():
                return head.at_level(level)
        return None

    def position(self, span: Span) -> int:
        """The rank of the level and the sequence number."""
        return (self._top - span.level) << RANK | span.first

    async def browse(self, position: int, count: int, octets: int) -> Browsed:
        """See `BackingQueue`."""
        shown: list[Run] = []
        for rank in range(position >> RANK, len(self._levels)):
            level = self._top - rank
            first = position & ((1 << RANK) - 1) if rank == position >> RANK else 0
            if count <= 0 or octets <= 0:
                return Browsed(shown, rank << RANK | first)
            browsed = await self._levels[level].browse(first, count, octets)
            shown += [run.at_level(level) for run in browsed.runs]
            count -= total(browsed.runs)
            octets -= sum(run.octets for run in browsed.runs)
            if browsed.next:
                return Browsed(shown, rank << RANK | browsed.next)
        return Browsed(shown, 0)

    async def purge(self) -> int:
        """See `BackingQueue`."""
        return sum([await queue.purge() for queue in self._levels])

    def __len__(self) -> int:
        return sum(map(len, self._levels))

    @property
    def octets(self) -> int:
        """See `BackingQueue`."""
        return self._sum(lambda queue: queue.octets)

    @property
    def unacked(self) -> int:
        """See `BackingQueue`."""
        return self._sum(lambda queue: queue.unacked)

    @property
    def unacked_octets(self) -> int:
        """See `BackingQueue`."""
        return self._sum(lambda queue: queue.unacked_octets)

    @property
    def ram_octets(self) -> int:
        """See `BackingQueue`."""
        return self._sum(lambda queue: queue.ram_octets)

    def insides(self) -> list[Insides]:
        """See `BackingQueue`."""
        found: list[Insides] = []
        for level, queue in self._from_the_top():
            (insides,) = queue.insides()
            insides.level = level
            found.append(insides)
        return found

    def set_target(self, duration: float) -> None:
        """See `BackingQueue`."""
        for queue in self._levels:
            queue.set_target(duration)

    @property
    def duration(self) -> float:
        """See `BackingQueue`; of all levels together."""
        insides = self.insides()
        rates = sum(
            level.ingress_rate + level.egress_rate + level.ack_ingress_rate + level.ack_egress_rate for level in insides
        )
        return sum(level.ram_count for level in insides) / rates if rates else inf

    def update_rates(self) -> None:
        """See `BackingQueue`."""
        for queue in self._levels:
            queue.update_rates()

    @property
    def checkpoint_due(self) -> bool:
        """See `BackingQueue`."""
        return any(queue.checkpoint_due for queue in self._levels)

    def checkpoint(self) -> None:
        """See `BackingQueue`."""
        for queue in self._levels:
            if queue.checkpoint_due:
                queue.checkpoint()

    def mark(self, name: bytes, value: int) -> None:
        """See `BackingQueue`; each level has every mark, as what it is about may be in any."""
        for queue in self._levels:
            queue.mark(name, value)

    def marks(self) -> dict[bytes, int]:
        """See `BackingQueue`."""
        found: dict[bytes, int] = {}
        for queue in self._levels:
            for name, value in queue.marks().items():
                found[name] = max(value, found.get(name, 0))
        return found

    async def unmarked(self) -> list[Run]:
        """See `BackingQueue`."""
        return [run.at_level(level) for level, queue in self._from_the_top() for run in await queue.unmarked()]

    def references(self) -> Iterator[tuple[bytes, int]]:
        """See `BackingQueue`."""
        for queue in self._levels:
            yield from queue.references()

    def close(self) -> None:
        """See `BackingQueue`."""
        for queue in self._levels:
            queue.close()

    def erase(self) -> None:
        """See `BackingQueue`."""
        for queue in self._levels:
            queue.erase()

    def check(self) -> None:
        """See `BackingQueue`."""
        for queue in self._levels:
            queue.check()

    def _from_the_top(self) -> Iterator[tuple[int, BackingQueue]]:
        return ((level, self._levels[level]) for level in range(self._top, -1, -1))

    def _highest(self) -> BackingQueue | None:
        """The highest level that has ready messages."""
        return next((queue for _, queue in self._from_the_top() if len(queue)), None)

    def _by_level(self, spans: Sequence[Span]) -> Iterator[tuple[BackingQueue, list[Span]]]:
        for level, group in groupby(spans, key=lambda span: span.level):
            yield self._levels[level], [_bare(span) for span in group]

    def _sum(self, figure: Callable[[BackingQueue], int]) -> int:
        return sum(map(figure, self._levels))


def _parts(batch: Batch) -> Iterator[Batch]:
    """A batch for each level."""
    for taken, arrivals, releases in zip(*batch, strict=True):
        yield Batch((taken,), (arrivals,), (releases,))


def _bare(span: Span) -> Span:
    """A span as the queue of its level knows it."""
    return Span(0, span.first, span.count)
