"""One holder at a time: a lease that is taken, kept by renewing, and given back.

Where it is recorded is a `LeaseRecord`: a lock file, or a Kubernetes Lease. Who holds it judges by its own monotonic
clock and stops well before the record lets anyone else in, so that no two ever believe to hold it.
"""

import asyncio
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple, Protocol

import structlog

from forebay.runtime.backoff import Backoff, BackoffSettings
from forebay.runtime.clock import Clock
from forebay.runtime.errors import LeaseError

log = structlog.stdlib.get_logger(__name__)


class Standing(NamedTuple):
    """What a record says at one instant."""

    holder: str = ""
    """Who holds the lease, as last recorded; empty when nobody does. It may have run out."""
    epoch: int = 0
    note: str = ""
    """What the holder has written beside it; it stays until another note is written, by whomever."""


class LeaseRecord(Protocol):
    """Where a lease is recorded. Every method raises `LeaseError` when the record cannot be read or written."""

    name: str
    """For logs and errors."""

    async def take(self, holder: str, seconds: float, patience: float = 0.0) -> int | None:
        """Record the holder unless another holds it; the epoch, higher with each taking, or None.

        patience: seconds for which it is left to others once it is free.
        """
        ...

    async def renew(self, holder: str, seconds: float) -> bool:
        """Hold it for so many seconds more; False when it is another's by now."""
        ...

    async def release(self, holder: str) -> None:
        """Let others in at once, if the holder still has it."""
        ...

    async def holder(self) -> str:
        """Who holds it, as last recorded; empty when nobody does."""
        ...


@dataclass(frozen=True)
class LeaseSettings:
    """Times of a lease, in seconds."""

    seconds: float = 15.0
    """How long a holder that has vanished keeps others out."""
    safe_part: float = 2 / 3
    """The part of it, counted from when a renewal was asked for, that the holder itself relies on."""
    renewals: int = 6
    """How often in that time it is renewed."""
    retry: BackoffSettings = field(default_factory=lambda: BackoffSettings(first=1.0, longest=5.0))
    """Between tries to acquire it."""


class Tenure:
    """How long the holder may rely on what it has, by its own clock."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._end = clock.monotonic()

    def extend(self, asked: float) -> None:
        """It was granted upon a request sent at that monotonic time; only the time since then is certain."""
        self._end = max(self._end, asked + self._seconds)

    def end(self) -> None:
        """Nothing may be relied on from now."""
        self._end = self._clock.monotonic()

    def remaining(self) -> float:
        """Seconds left; 0 when it is over."""
        return max(0.0, self._end - self._clock.monotonic())


class Lease:
    """A lease as its would-be holder sees it.

    `await acquire()`, then work as long as `held`, watching `lost`; then `await release()`. One at a time per object.
    """

    def __init__(
        self, record: LeaseRecord, holder: str, clock: Clock, random: Random, settings: LeaseSettings | None = None
    ) -> None:
        """`holder` has to differ between any two processes that ever live at once, so let chance be part of it."""
        self.holder = holder
        self.epoch = 0
        """Of the last acquisition: whoever has seen a higher one must refuse us."""
        self.lost = asyncio.Event()
        """Set when the lease has ended before it was released. It is cleared by acquiring again."""
        self.patience = 0.0
        """Seconds for which it is left to others once it is free."""
        self._record = record
        self._clock = clock
        self._settings = settings or LeaseSettings()
        self._backoff = Backoff(self._settings.retry, clock, random)
        self._tenure = Tenure(clock, self._settings.seconds * self._settings.safe_part)
        self._keeper: asyncio.Task[None] | None = None

    @property
    def held(self) -> bool:
        """Whether it may be relied on at this moment; right also when the loop was stalled and `lost` is late."""
        return self._tenure.remaining() > 0

    async def acquire(self) -> int:
        """Wait until it is ours, and keep it from then on; the epoch."""
        while not await self.try_acquire():
            await self._clock.sleep(self._backoff.fail())
        self._backoff.reset()
        return self.epoch

    async def try_acquire(self) -> bool:
        """Take it if it is free, and keep it from then on."""
        asked = self._clock.monotonic()
        try:
            epoch = await self._record.take(self.holder, self._settings.seconds, self.patience)
        except LeaseError as error:
            log.warning("lease not acquired", lease=self._record.name, problem=str(error))
            return False
        if epoch is None:
            return False
        self.epoch = epoch
        self.lost.clear()
        self._tenure.extend(asked)
        self._keeper = asyncio.get_running_loop().create_task(self._keep(), name=f"lease {self._record.name}")
        log.info("lease acquired", lease=self._record.name, holder=self.holder, epoch=epoch)
        return True

    async def release(self) -> None:
        """Stop relying on it and let others in. Nothing happens when it is not ours."""
        keeper, self._keeper = self._keeper, None
        if keeper is None:
            return
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)
        self._tenure.end()
        try:
            await self._record.release(self.holder)
        except LeaseError as error:
            log.warning("lease left to run out", lease=self._record.name, problem=str(error))

    async def _keep(self) -> None:
        pause = self._settings.seconds * self._settings.safe_part / self._settings.renewals
        try:
            while (left := self._tenure.remaining()) > 0:
                await self._clock.sleep(min(pause, left))
                await self._renew()
        except Exception:
            log.exception("lease given up by an unexpected error", lease=self._record.name)
            self._tenure.end()
        log.error("lease lost", lease=self._record.name, holder=self.holder, epoch=self.epoch)
        self.lost.set()

    async def _renew(self) -> None:
        """Extend the tenure, or end it when the lease is another's; what is not known leaves it to run out."""
        asked = self._clock.monotonic()
        try:
            async with asyncio.timeout(self._tenure.remaining()):
                renewed = await self._record.renew(self.holder, self._settings.seconds)
        except (LeaseError, TimeoutError) as error:
            log.warning("lease not renewed", lease=self._record.name, problem=str(error) or "no answer in time")
            return
        if renewed:
            self._tenure.extend(asked)
        else:
            self._tenure.end()
