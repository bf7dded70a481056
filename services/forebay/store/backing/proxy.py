"""A backing queue that hands every call on to another: what a proxy changes, it overrides."""

from collections.abc import Iterator, Sequence

from forebay.store.backing.protocol import BackingQueue, Batch, Browsed, Insides
from forebay.store.backing.run import Arrival, Run, Span


class QueueProxy:
    """See `BackingQueue` for each method."""

    def __init__(self, under: BackingQueue) -> None:
        self._under = under

    def publish(self, arrivals: Sequence[Arrival]) -> list[Span]:
        """Handed on."""
        return self._under.publish(arrivals)

    def take(self) -> Batch | None:
        """Handed on."""
        return self._under.take()

    def write(self, batch: Batch, *, sync: bool = True) -> None:
        """Handed on."""
        self._under.write(batch, sync=sync)

    def settle(self, batch: Batch) -> int:
        """Handed on."""
        return self._under.settle(batch)

    @property
    def unsynced(self) -> bool:
        """Handed on."""
        return self._under.unsynced

    def sync(self) -> None:
        """Handed on."""
        self._under.sync()

    def fetch(self, count: int, octets: int, *, counted: bool = True) -> list[Run]:
        """Handed on."""
        return self._under.fetch(count, octets, counted=counted)

    @property
    def cold(self) -> bool:
        """Handed on."""
        return self._under.cold

    @property
    def cooling(self) -> bool:
        """Handed on."""
        return self._under.cooling

    async def warm(self) -> None:
        """Handed on."""
        await self._under.warm()

    def ack(self, spans: Sequence[Span]) -> None:
        """Handed on."""
        self._under.ack(spans)

    def requeue(self, spans: Sequence[Span]) -> None:
        """Handed on."""
        self._under.requeue(spans)

    def held(self, spans: Sequence[Span]) -> list[Run]:
        """Handed on."""
        return self._under.held(spans)

    def drop(self, count: int) -> list[Run]:
        """Handed on."""
        return self._under.drop(count)

    async def warm_victims(self) -> None:
        """Handed on."""
        await self._under.warm_victims()

    def expire(self, now_ms: int) -> list[Run]:
        """Handed on."""
        return self._under.expire(now_ms)

    async def expire_deep(self, now_ms: int) -> list[Run]:
        """Handed on."""
        return await self._under.expire_deep(now_ms)

    def next_expiry(self) -> int:
        """Handed on."""
        return self._under.next_expiry()

    async def contents_of(self, runs: Sequence[Run]) -> list[Run]:
        """Handed on."""
        return await self._under.contents_of(runs)

    def head(self) -> Run | None:
        """Handed on."""
        return self._under.head()

    def position(self, span: Span) -> int:
        """Handed on."""
        return self._under.position(span)

    async def browse(self, position: int, count: int, octets: int) -> Browsed:
        """Handed on."""
        return await self._under.browse(position, count, octets)

    async def purge(self) -> int:
        """Handed on."""
        return await self._under.purge()

    def __len__(self) -> int:
        return len(self._under)

    @property
    def octets(self) -> int:
        """Handed on."""
        return self._under.octets

    @property
    def unacked(self) -> int:
        """Handed on."""
        return self._under.unacked

    @property
    def unacked_octets(self) -> int:
        """Handed on."""
        return self._under.unacked_octets

    @property
    def ram_octets(self) -> int:
        """Handed on."""
        return self._under.ram_octets

    def insides(self) -> list[Insides]:
        """Handed on."""
        return self._under.insides()

    def set_target(self, duration: float) -> None:
        """Handed on."""
        self._under.set_target(duration)

    @property
    def duration(self) -> float:
        """Handed on."""
        return self._under.duration

    def update_rates(self) -> None:
        """Handed on."""
        self._under.update_rates()

    @property
    def checkpoint_due(self) -> bool:
        """Handed on."""
        return self._under.checkpoint_due

    def checkpoint(self) -> None:
        """Handed on."""
        self._under.checkpoint()

    def mark(self, name: bytes, value: int) -> None:
        """Handed on."""
        self._under.mark(name, value)

    def marks(self) -> dict[bytes, int]:
        """Handed on."""
        return self._under.marks()

    def references(self) -> Iterator[tuple[bytes, int]]:
        """Handed on."""
        return self._under.references()

    async def unmarked(self) -> list[Run]:
        """Handed on."""
        return await self._under.unmarked()

    def close(self) -> None:
        """Handed on."""
        self._under.close()

    def erase(self) -> None:
        """Handed on."""
        self._under.erase()

    def check(self) -> None:
        """Handed on."""
        self._under.check()
