"""A peer that comes and goes for a day of a clock that the test moves: nothing is lost or sent twice."""

from collections import Counter
from random import Random

import pytest

from fakeclock import FakeClock, settle
from feedlogs import SETTINGS, end, record
from forebay.outfeed.log.feedlog import FeedLog
from forebay.outfeed.masterfeed import Front
from forebay.outfeed.peering.flow import Shared
from forebay.outfeed.peering.peer import Peer
from forebay.outfeed.sending.feed import Outcome
from forebay.runtime.tasks import Supervisor
from manifests import peer_options
from memoryspool import MemoryRedis, MemorySpill
from onepeer import IDLE, Outcomes
from powerloss import PowerLossDisk

DAY = 24 * 3600
STEP = 10
"""Seconds between two looks."""
WINDOW = 20
FIRST, LONGEST = 2.0, 300.0
"""Seconds that the first try waits, and the longest."""


class Day:
    """A peer, the articles that come in for it, and the other end of its connections."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.clock = FakeClock()
        self.accepted: Counter[bytes] = Counter()
        self.in_flight: list = []
        self.offered = 0
        self.is_up = False
        self.flips = 0
        self.flip_at = 0.0
        self.tries: list[int] = []
        """How often the peer was dialled in each of its absences."""

    async def start(self) -> None:
        options = peer_options(
            queue={"size": 50},
            reconnect={"initial": f"{FIRST:g}s", "maximum": f"{LONGEST:g}s"},
            backlog={"rotateBytes": "1KB"},
        )
        self.log = FeedLog.open(PowerLossDisk(), SETTINGS)
        self.number = await self.log.add_peer(options.uid)
        self.front = Front(0)
        self.redis = MemoryRedis(self.clock)
        shared = Shared(self.log, self.front, None, Outcomes(), lambda: int(self.clock.wall() * 1000))
        self.peer = Peer(options, self.number, shared, MemorySpill(self.redis), self.clock)
        self.tasks = Supervisor(self.clock)
        self.peer.start(self.tasks)
        await settle(IDLE)

    async def close(self) -> None:
        await self.tasks.close()
        await end(self.log)

    async def offer(self, count: int) -> None:
        if count:
            first = await self.log.append([record(self.offered + n, 1 << self.number) for n in range(count)])
            self.offered += count
            self.front.head = self.log.head
            self.peer.feed.offer(self.log.read(first, count, self.number)[0])

    async def step(self, count: int, turns: int = 8) -> None:
        """Some seconds in which so many articles come in."""
        self.clock.advance(STEP)
        if self.clock.now >= self.flip_at:
            self.flip()
        await self.offer(count)
        self.peer.poll()
        await settle(turns)
        self.converse()
        await settle(turns)
        ledger = self.peer.feed.ledger
        assert ledger.imbalance == 0
        assert len(self.peer.feed.queue) <= 50 + WINDOW

    def flip(self) -> None:
        self.is_up = not self.is_up
        self.flips += 1
        self.flip_at = self.clock.now + self.chance.choice([5, 20, 60, 300, 1500])
        if not self.is_up:
            self.tries.append(0)
            self.cut()

    def cut(self) -> None:
        """The connection breaks with what is on it."""
        for line in self.peer.lines.open:
            if self.in_flight:
                line.give_back(self.in_flight)
                self.in_flight = []
            line.connection.end()

    def converse(self) -> None:
        """Take a connection or turn it away, take articles, and answer some."""
        for line in [line for line in self.peer.lines._lines if not line.is_up]:
            if self.is_up:
                line.connection.open(WINDOW)
            else:
                self.tries[-1] += 1
                line.connection.end("cannot connect")
        for line in self.peer.lines.open:
            self.in_flight += line.take(WINDOW - len(self.in_flight))
            kept = len(self.in_flight) // 5
            done, self.in_flight = self.in_flight[kept:], self.in_flight[:kept]
            if done:
                put_off = [token for token in done if self.chance.random() < 0.02]
                taken = [token for token in done if token not in put_off]
                self.accepted.update(token.message_id for token in taken)
                if taken:
                    line.settle(Outcome.ACCEPTED, taken, "239")
                if put_off:
                    line.settle(Outcome.DEFERRED, put_off, "431 later")


@pytest.fixture
async def day(made):
    day = Day(seed=10)
    await day.start()
    yield day
    await day.close()


async def test_a_peer_that_comes_and_goes_for_a_day_gets_every_article_once(day):
    for _ in range(DAY // STEP):
        await day.step(day.chance.choice([0, 0, 1, 2]))
    day.is_up, day.flip_at = True, float("inf")
    for _ in range(2000):
        if not day.peer.feed.ledger.owed:
            break
        await day.step(0)
    ledger = day.peer.feed.ledger
    assert day.flips > 100
    assert day.offered > 5000
    assert (ledger.owed, ledger.accepted, ledger.dropped.total(), ledger.dead_lettered) == (0, day.offered, 0, 0)
    assert len(day.accepted) == day.offered
    assert set(day.accepted.values()) == {1}
    # 1,500 s are at the most 2 + 4 + ... + 256 s, then 300 s each, of which chance takes away a quarter.
    assert max(day.tries) <= 14
    assert day.peer.feed.checkpoint == day.log.head - 1
    assert not day.peer.spool.streams.resend
    assert not day.log.count_owed(day.number)
