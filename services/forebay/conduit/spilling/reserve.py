"""The reserve of one publisher: samples pass through memory, a spool of Redis and memory again, in their order."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.transport.wakening import Wakening
from forebay.spill import Kind
from forebay.spill.errors import SpillFullError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.conduit.spilling.outflow import Mark, Outflow
    from forebay.spill import Spool

BATCH = 256
"""Samples that are written, read or sent at once at most."""
BATCH_OCTETS = 1024 * 1024
"""Octets of them, likewise."""


class _Sent(NamedTuple):
    """Entries that went to the window."""

    ids: list[bytes]
    mark: Mark


class Reserve:
    """Entries leave Redis once the peers have acknowledged them, so that a node that dies sends them again."""

    def __init__(self, outflow: Outflow, spool: Spool, limit: int, wake: Callable[[], None]) -> None:
        """`limit`: octets in memory, beyond which no more is taken; `wake` is called when there is something to do."""
        self.outflow = outflow
        self.usable = True
        """Whether the last round succeeded."""
        self.retiring = False
        """Nothing more comes: once it is empty it is not needed any more."""
        self.limit = limit
        self._spool = spool
        self._wake = wake
        self._loaded = False
        self._left = False
        """An earlier life of the node has left something."""
        self._room = False
        """Whether the window had room when it was last heard of."""
        self._put: deque[bytes] = deque()
        self._put_octets = 0
        self._taken = self._gone = 0
        """Samples that were put, and how many of them are in Redis, or sent."""
        self._stored = 0
        """Samples in Redis that were not read, as of its last answer."""
        self._read: deque[tuple[bytes, bytes]] = deque()
        self._sent: deque[_Sent] = deque()
        self._sent_ids: set[bytes] = set()
        self._progress = Wakening()

    @property
    def busy(self) -> bool:
        """Whether samples wait, so that later ones have to wait behind them."""
        return bool(self._put or self._stored or self._read or self._left)

    @property
    def waiting(self) -> int:
        """Samples that wait."""
        return len(self._put) + self._stored + len(self._read)

    @property
    def settled(self) -> bool:
        """Whether all is sent, and acknowledged."""
        return not (self.busy or self._sent)

    @property
    def pending(self) -> bool:
        """Whether something was sent that is not acknowledged."""
        return bool(self._sent)

    @property
    def has_room(self) -> bool:
        """Whether more is taken: Redis can be used, or nothing needs it."""
        return self._put_octets < self.limit and (self.usable or not self._put)

    async def until_room(self) -> None:
        """Wait until more is taken."""
        while not self.has_room:
            await self._progress.wait()

    async def until_stored(self) -> None:
        """Wait until all that was put is in Redis, or was sent."""
        mark = self._taken
        while self._gone < mark:
            await self._progress.wait()

    def resume(self) -> None:
        """Send what an earlier life of the node has left."""
        self._left = self._room = True
        self._wake()

    def retire(self) -> None:
        """Nothing more comes."""
        self.retiring = True
        self._wake()

    def put(self, samples: Sequence[bytes]) -> None:
        """Lay samples aside, behind the others."""
        self._put += samples
        self._put_octets += sum(map(len, samples))
        self._taken += len(samples)
        self._wake()

    def room(self) -> None:
        """There is room in the window."""
        self._room = True
        self._wake()

    async def round(self) -> None:
        """Send what finds room, and write the rest of what was put. Raises `SpillError`."""
        if (self._put or self._left) and not self._loaded:
            # First what Redis has: it is older.
            await self._load()
        self._bring_back()
        await self._acknowledge()
        while self._stored and not self._read and self._sends() and await self._fetch():
            self._bring_back()
        while self._put:
            await self._store()
        if not self.busy:
            self.outflow.ended()

    async def purge(self) -> None:
        """Delete all that lies in Redis. Raises `SpillError`."""
        if self._loaded:
            await self._spool.purge()
            self._loaded = False

    async def close(self) -> None:
        """Write what is left, and let another life of the node go on with it. Raises `SpillError`."""
        if self._put and not self._loaded:
            await self._load()
        while self._put:
            await self._store()
        await self._acknowledge()
        if self.settled:
            await self.purge()
        elif self._loaded:
            await self._spool.release()
            self._loaded = False

    def lost(self) -> None:
        """Another run of Redis has begun, or the lease was lost: it has to be loaded again."""
        self._loaded, self._left = False, True

    def failed(self) -> None:
        """Redis cannot be used now."""
        self.usable = False

    def succeeded(self) -> None:
        """It can."""
        self.usable = True
        self._progress.wake()

    async def _load(self) -> None:
        await self._spool.load()
        self._read.clear()
        self._count()
        self._loaded, self._left = True, False

    def _bring_back(self) -> None:
        """What was read, and, when nothing lies before it in Redis, what was put."""
        while self._read and self._sends():
            batch = list(islice(self._read, BATCH))
            written = self._send([data for _, data in batch])
            if written:
                ids = [self._read.popleft()[0] for _ in range(written)]
                self._sent.append(_Sent(ids, self.outflow.mark()))
                self._sent_ids.update(ids)
        while self._put and not (self._read or self._stored or self._left) and self._sends():
            self._pop(self._send(list(islice(self._put, BATCH))))

    def _sends(self) -> bool:
        return self._room and self.outflow.wanted

    def _send(self, samples: list[bytes]) -> int:
        written = self.outflow.send(samples)
        self._room = written == len(samples)
        return written

    def _pop(self, number: int) -> None:
        for _ in range(number):
            self._put_octets -= len(self._put.popleft())
        self._gone += number
        self._progress.wake()

    async def _acknowledge(self) -> None:
        """What peers have acknowledged is not needed any more."""
        done: list[bytes] = []
        while self._sent and self._sent[0].mark.passed:
            done += self._sent.popleft().ids
        if done and self._loaded:
            self._spool.ack(done)
            await self._spool.checkpoint()
            self._sent_ids.difference_update(done)
            self._count()

    async def _fetch(self) -> bool:
        """Read on; whether there was anything: what was written later comes once the earlier is acknowledged."""
        entries = await self._spool.read(BATCH)
        if not entries and (await self._spool.promote(0)).done:
            entries = await self._spool.read(BATCH)
        self._count()
        # After another run of Redis has begun, what is on its way is read once more.
        self._read += [(entry.id, entry.data) for entry in entries if entry.id not in self._sent_ids]
        if not (entries or self._sent):
            # Redis has lost it.
            self._stored = 0
        return bool(entries)

    async def _store(self) -> None:
        """Write some of those that were put."""
        batch: list[bytes] = []
        octets = 0
        for sample in islice(self._put, BATCH):
            if batch and octets + len(sample) > BATCH_OCTETS:
                break
            octets += len(sample)
            batch.append(sample)
        try:
            await self._spool.append(Kind.BACKLOG, batch)
        except SpillFullError as error:
            self._written(error.appended)
            raise
        self._written(len(batch))

    def _written(self, number: int) -> None:
        self._pop(number)
        self._count()

    def _count(self) -> None:
        self._stored = max(0, self._spool.unread)
