"""The overflow of one outlet: parcels pass through memory, a stream of Redis and memory again, in their order."""

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

import structlog
from google.protobuf.message import DecodeError

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.outlet import Outlet
from forebay.router.overflow.waitingruns import Place, WaitingRuns
from forebay.spill import Kind, Spool
from forebay.spill.errors import SpillFullError

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_PUT = 8 * 1024 * 1024
"""Octets of parcels that are not written yet, beyond which no more are taken."""
BATCH = 256
"""Parcels that are written, or read, at once at most."""
BATCH_OCTETS = 1024 * 1024
"""Octets of them, likewise."""

log = structlog.stdlib.get_logger(__name__)


class Overflow:
    """Takes nothing while Redis cannot be used: then senders keep what they send, and send it again."""

    def __init__(self, outlet: Outlet, spool: Spool, wake: "Callable[[], None]") -> None:
        """`wake` is called when there is something to do."""
        self.outlet = outlet
        self.usable = True
        """Whether the last round succeeded."""
        self.closed = False
        """The outlet is gone, and what waits for it is not needed."""
        self.wake = wake
        self._spool = spool
        self._loaded = self._begun = False
        self._runs = WaitingRuns()
        self._put: deque[pb.Parcel] = deque()
        self._put_octets = 0
        self._stored = 0
        """Parcels in Redis that were not read, as of its last answer."""
        self._read: deque[pb.Parcel] = deque()
        self._done: list[bytes] = []

    @property
    def octets(self) -> int:
        """Octets that wait here, in memory or in Redis."""
        state = self._spool.state
        return self._put_octets + state.backlog.bytes + state.resend.bytes

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not (self._put or self._stored or self._read)

    def put(self, parcel: pb.Parcel) -> bool:
        """Have a parcel wait; False: it is refused."""
        place = self._runs.place(parcel)
        if place is Place.KNOWN:
            return True
        if place is Place.EARLY or not self.usable or self.closed or self._put_octets >= MOST_PUT:
            return False
        self._runs.add(parcel)
        self._put.append(parcel)
        self._put_octets += len(parcel.messages)
        self.outlet.spilling = True
        self.wake()
        return True

    def close(self) -> None:
        """The outlet is gone."""
        self.closed = True
        self._put.clear()
        self._put_octets = 0
        self.wake()

    async def round(self) -> None:
        """Bring back what finds room, and write what was put. Raises `SpillError`."""
        self._bring_back()
        if not self._loaded:
            await self._load()
        await self._acknowledge()
        self._bring_back()
        while self._stored and not self._read and self._room > 0:
            await self._fetch()
            self._bring_back()
            await self._acknowledge()
        while self._put:
            await self._store()
        self._settle()

    async def purge(self) -> None:
        """Delete all that lies in Redis. Raises `SpillError`."""
        if not self._loaded:
            await self._load()
        await self._spool.purge()
        self._loaded = False

    def lost(self) -> None:
        """Another run of Redis has begun, or the lease was lost: it has to be loaded again."""
        self._loaded = False

    async def _load(self) -> None:
        await self._spool.load()
        # What had been read is read again, and what is lost comes again: who has it already drops the repeat.
        if self._begun:
            self._runs.clear()
        self._begun = True
        self._read.clear()
        self._done.clear()
        self._count()
        self._loaded = True

    @property
    def _room(self) -> int:
        return self.outlet.limits.high - self.outlet.octets

    def _bring_back(self) -> None:
        """What was read, and, when nothing lies before it in Redis, what was put."""
        outlet = self.outlet
        while self._read and self._room > 0:
            outlet.parcel(self._read.popleft())
        while not self._read and not self._stored and self._put and self._room > 0:
            outlet.parcel(self._pop())

    def _pop(self) -> pb.Parcel:
        parcel = self._put.popleft()
        self._put_octets -= len(parcel.messages)
        return parcel

    async def _acknowledge(self) -> None:
        """What was brought back may be deleted: its sender has it until it is received."""
        if self._done and not self._read:
            done, self._done = self._done, []
            self._spool.ack(done)
            await self._spool.checkpoint()
            self._count()

    async def _fetch(self) -> None:
        """Read on, as much as finds room."""
        state = self._spool.state
        waiting = state.backlog.entries + state.resend.entries
        mean = max(1, (state.backlog.bytes + state.resend.bytes) // max(1, waiting))
        count = max(1, min(BATCH, self._room // mean))
        entries = await self._spool.read(count)
        if not entries and (await self._spool.promote(0)).done:
            entries = await self._spool.read(count)
        self._count()
        for entry in entries:
            self._done.append(entry.id)
            try:
                self._read.append(pb.Parcel.FromString(entry.data))
            except DecodeError:
                log.warning("a parcel in Redis is damaged, and dropped", outlet=self.outlet.name)
        if not entries:
            # Another has deleted it; senders send again what they have.
            self._stored = 0

    async def _store(self) -> None:
        """Write some of those that were put."""
        batch: list[bytes] = []
        octets = 0
        for parcel in islice(self._put, BATCH):
            if batch and octets + len(parcel.messages) > BATCH_OCTETS:
                break
            octets += len(parcel.messages)
            batch.append(parcel.SerializeToString())
        try:
            await self._spool.append(Kind.BACKLOG, batch)
        except SpillFullError as error:
            self._written(error.appended)
            raise
        self._written(len(batch))

    def _written(self, number: int) -> None:
        # The outlet may be gone meanwhile, and with it what was put.
        for _ in range(min(number, len(self._put))):
            self._pop()
        self._count()

    def _count(self) -> None:
        self._stored = max(0, self._spool.unread)

    def _settle(self) -> None:
        """From now on parcels go straight to the outlet, if none waits before them."""
        if self.is_empty:
            self._runs.clear()
            self.outlet.settle()
