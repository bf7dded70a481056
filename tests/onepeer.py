"""One peerfeed with its backlog and its custodian, over a real feed log on a disk in memory and a spool in memory.

The test is the masterfeed and the peer's lines: it offers, takes, settles and gives back.
"""

import asyncio
from types import SimpleNamespace

from fakeclock import FakeClock, settle
from feedlogs import SETTINGS, end, record
from forebay.outfeed.log.feedlog import FeedLog
from forebay.outfeed.masterfeed import Front
from forebay.outfeed.peering.backlog import Backlog
from forebay.outfeed.peering.breaks import Breaks
from forebay.outfeed.peering.custody import Custodian
from forebay.outfeed.peering.deferralrest import DeferralRest
from forebay.outfeed.peering.flow import FlowSettings, Shared
from forebay.outfeed.peering.peerfeed import Peerfeed
from forebay.outfeed.peering.peerqueue import PeerQueue
from forebay.outfeed.peering.poison import GivingUp, PoisonTest
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.token import decode
from forebay.spill import Entry, Kind, SpillFullError, SpoolSettings
from forebay.spill.deadletter import decode as decode_letter
from memoryspool import MemoryRedis, MemorySpool
from powerloss import PowerLossDisk

MIN_DEFERRED_AGE = 30.0
SMALL = SpoolSettings(rotate_bytes=200, rotate_age=0)
IDLE = 300
"""Turns of the event loop after which whatever could go on has done so."""


class PlayedLines:
    """Lines that are up when the test says so."""

    def __init__(self) -> None:
        self.is_up = False
        self.breaks = Breaks()
        self.wakes = 0
        self.wants = 0
        self.polled: list[int] = []
        self.failures: list[str] = []

    def wake(self) -> None:
        self.wakes += 1

    def want(self) -> None:
        self.wants += 1

    def poll(self, waiting: int, fullness: float) -> None:
        self.polled.append(waiting)

    def fail(self, reason: str) -> None:
        self.failures.append(reason)


class Outcomes:
    """An outcome log in memory."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, list[int]]] = []

    def add(self, peer, outcome, reason, tokens) -> None:
        self.lines.append((outcome, reason, [token.seq for token in tokens]))


class OnePeer:
    """`start` opens the log and sets the tasks to work; `stop` ends them in order, `crash` as a power loss does."""

    name = "peer"
    uid = "uid-1"

    def __init__(
        self,
        *,
        size: int = 8,
        limits: GivingUp | None = None,
        flow: FlowSettings | None = None,
        deferral: DeferralRest | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.redis = MemoryRedis(self.clock)
        self.disk = PowerLossDisk()
        self.size = size
        self.limits = limits or GivingUp(failures=2)
        self.flow = flow or FlowSettings()
        self.deferral = deferral or DeferralRest(MIN_DEFERRED_AGE)
        self.message_ids: dict[int, bytes] = {}
        """Of every article that was ever offered, by seq."""

    async def start(self, *, tasks: bool = True) -> None:
        self.log = FeedLog.open(self.disk, SETTINGS)
        self.number = await self.log.add_peer(self.uid)
        self.front = Front(self.log.head)
        self.outcomes = Outcomes()
        shared = Shared(self.log, self.front, None, self.outcomes, self.now)
        poison = PoisonTest(self.limits)
        self.feed = Peerfeed(self.name, self.uid, self.number, PeerQueue(self.size, 0.5), poison, shared, self.flow)
        self.lines = self.feed.lines = PlayedLines()
        self.spool = MemorySpool(self.uid, self.redis, SMALL)
        self.backlog = self.feed.backlog = Backlog(self.feed, self.spool, self.deferral, self.now)
        self.custodian = Custodian(self.feed, self.backlog, self.log)
        self.options = SimpleNamespace(name=self.name, uid=self.uid)
        self.in_flight = {}
        self.tasks = []
        if tasks:
            loop = asyncio.get_running_loop()
            self.tasks = [loop.create_task(self.feed.follow()), loop.create_task(self.custodian.run())]
            self.feed.poll()

    def now(self) -> int:
        return int(self.clock.wall() * 1000)

    async def rest(self, turns: int = IDLE) -> None:
        """Let the tasks run; one that crashed raises here."""
        await settle(turns)
        for task in self.tasks:
            if task.done():
                task.result()

    # The masterfeed

    async def offer(self, count: int = 1, *, ours: bool = True) -> list[int]:
        """Log articles and fan them out; returns their seqs. Others are for another peer alone."""
        bits = 1 << self.number if ours else 1 << 9
        await self.write(count, bits)
        return self.fan_out()

    async def write(self, count: int, bits: int | None = None) -> None:
        """Log articles; `fan_out` comes later."""
        peers = 1 << self.number if bits is None else bits
        records = [record(len(self.message_ids) + number, peers) for number in range(count)]
        first = await self.log.append(records)
        self.message_ids.update((seq, record.message_id) for seq, record in enumerate(records, first))

    def fan_out(self) -> list[int]:
        """Hand out what was logged."""
        tokens, _ = self.log.read(self.front.head, 10_000, self.number)
        self.front.head = self.log.head
        if tokens:
            self.feed.offer(tokens)
        return [token.seq for token in tokens]

    # The lines

    def up(self) -> None:
        if not self.lines.is_up:
            self.lines.is_up = True
            self.feed.connected()

    def down(self) -> None:
        """The last line breaks: what was on it comes back in the order in which it was taken."""
        if self.lines.is_up:
            self.give_back()
            self.lines.is_up = False
            self.feed.disconnected()

    def take(self, limit: int = 1000) -> list[int]:
        """Seqs of what went on the line."""
        tokens = self.feed.take(limit)
        for token in tokens:
            assert token.seq not in self.in_flight, f"{token.seq} was taken twice"
            self.in_flight[token.seq] = token
        return [token.seq for token in tokens]

    def settle(self, outcome: Outcome, seqs=None, reply: str = "") -> None:
        """Answer what is in flight, or these of it."""
        chosen = list(self.in_flight) if seqs is None else seqs
        if chosen:
            self.feed.settle(outcome, [self.in_flight.pop(seq) for seq in chosen], reply)

    def give_back(self, seqs=None) -> None:
        chosen = list(self.in_flight) if seqs is None else seqs
        if chosen:
            self.feed.give_back([self.in_flight.pop(seq) for seq in chosen])

    async def send_all(self) -> list[int]:
        """Take and have accepted whatever there is, until nothing comes any more; the seqs in order."""
        sent: list[int] = []
        self.up()
        while True:
            await self.rest()
            taken = self.take()
            if not taken:
                return sent
            sent += taken
            self.settle(Outcome.ACCEPTED)

    # Redis

    def come_back(self) -> None:
        """Redis can be used again."""
        self.redis.away = False
        self.redis.room = None
        if isinstance(self.backlog.trouble, SpillFullError):
            self.backlog.trouble = None
        self.custodian.come_back()
        self.backlog.wake()

    def spilled(self, *kinds: Kind) -> list[int]:
        """Seqs on Redis, in order."""
        found = []
        for kind, entries in self.spool.streams.seen():
            if not kinds or kind in kinds:
                found += [seq_of(kind, entry) for entry in entries]
        return found

    def castoffs(self) -> list[int]:
        """Seqs that compactions have dropped and Redis was not told to forget."""
        return [decode(data).seq for dropped in self.spool.streams.castoffs for data in dropped.entries]

    # The process

    async def flush(self) -> list[bytes]:
        """Write releases and the checkpoint, as the storeroom does."""
        self.log.advance(self.number, self.feed.checkpoint)
        return await self.log.flush()

    async def stop(self) -> list[bytes]:
        """End in order."""
        self.down()
        if self.backlog.writable:
            self.feed.queue.spill_all()
            self.backlog.wake()
            await self.rest()
            self.redis.sync()
            self.backlog.wake()
            await self.rest()
        await self._end_tasks()
        if self.backlog.writable:
            await self.spool.release()
        self.log.advance(self.number, self.feed.checkpoint)
        return await self.log.close()

    async def crash(self) -> None:
        """What was not synced is gone; `start` goes on from there."""
        self.disk = self.disk.after_power_loss()
        await self._end_tasks()
        await end(self.log)

    async def close(self) -> None:
        """For the end of a test."""
        await self._end_tasks()
        await end(self.log)

    async def _end_tasks(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.tasks = []


def seq_of(kind: Kind, entry: Entry) -> int:
    """The seq in an entry."""
    return decode(decode_letter(*entry).data if kind is Kind.DEAD else entry.data).seq
