"""A peer that comes and goes for a day of a clock that the test moves: nothing is lost or sent twice, nothing grows."""

from collections import Counter, deque
from random import Random

import pytest
from structlog.testing import capture_logs

from fakeclock import FakeClock, settle
from feedlogs import SETTINGS, end, record
from forebay.outfeed.log.feedlog import FeedLog
from forebay.outfeed.masterfeed import Front
from forebay.outfeed.peering.flow import Shared
from forebay.outfeed.peering.peer import Peer
from forebay.outfeed.sending.feed import Outcome
from forebay.runtime.tasks import Supervisor
from forebay.spill import Kind
from manifests import peer_options
from memoryspool import MemoryRedis, MemorySpill
from onepeer import IDLE
from powerloss import PowerLossDisk

DAY = 24 * 3600
STEP = 10
"""Seconds between two looks."""
WINDOW = 20
FIRST, LONGEST = 2.0, 300.0
"""Seconds that the first try waits, and the longest."""
QUEUE = 50
POISON = 400
"""Every so manieth article is one that the peer cannot take."""
TRIES = 3


class Outcomes:
    """An outcome log that counts."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, peer, outcome, reason, tokens) -> None:
        self.counts[outcome] += len(tokens)


class Day:
    """A peer, the articles that come in for it, and the other end of its connections."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.clock = FakeClock()
        self.settled: Counter[bytes] = Counter()
        """How often each article got an answer that is the last."""
        self.has: set[bytes] = set()
        """What the peer took, whether its answer came through or not."""
        self.failures: Counter[bytes] = Counter()
        self.in_flight: list = []
        self.offered = 0
        self.is_up = False
        self.flips = 0
        self.flip_at = 0.0
        self.tries: list[int] = []
        """How often the peer was dialled in each of its absences."""

    async def start(self) -> None:
        options = peer_options(
            queue={"size": QUEUE},
            reconnect={"initial": f"{FIRST:g}s", "maximum": f"{LONGEST:g}s"},
            backlog={"rotateBytes": "1KB"},
            deadLetter={"maxTries": TRIES},
        )
        self.disk = PowerLossDisk()
        self.log = FeedLog.open(self.disk, SETTINGS)
        self.number = await self.log.add_peer(options.uid)
        self.front = Front(0)
        self.redis = MemoryRedis(self.clock)
        self.outcomes = Outcomes()
        shared = Shared(self.log, self.front, None, self.outcomes, lambda: int(self.clock.wall() * 1000))
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
        assert len(self.peer.feed.queue) <= QUEUE + WINDOW

    def flip(self) -> None:
        self.is_up = not self.is_up
        self.flips += 1
        self.flip_at = self.clock.now + self.chance.choice([5, 20, 60, 300, 1500])
        if not self.is_up:
            self.tries.append(0)
            self.cut()

    def cut(self) -> None:
        """The connection breaks with what is on it; some of that the peer has taken."""
        self.has.update(token.message_id for token in self.in_flight[::2] if not is_poison(token))
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
            self.answer(line, done)

    def answer(self, line, tokens) -> None:
        answers = {outcome: [] for outcome in REPLIES}
        for token in tokens:
            answers[self.verdict(token)].append(token)
        failed = answers[Outcome.FAILED]
        if len(failed) < len(tokens):
            line.suspect(failed)
        for outcome, some in answers.items():
            if some:
                line.settle(outcome, some, REPLIES[outcome])
        for token in (*answers[Outcome.ACCEPTED], *answers[Outcome.REFUSED], *answers[Outcome.REJECTED]):
            self.settled[token.message_id] += 1
        self.has.update(token.message_id for token in answers[Outcome.ACCEPTED])
        self.failures.update(token.message_id for token in failed)

    def verdict(self, token) -> Outcome:
        if is_poison(token):
            return Outcome.FAILED
        if token.message_id in self.has:
            return Outcome.REFUSED
        return self.chance.choices(list(CHANCES), list(CHANCES.values()))[0]

    async def keep_house(self) -> None:
        """What the service does every few seconds, done every hour."""
        self.log.advance(self.number, self.peer.feed.checkpoint)
        await self.log.flush()
        await self.log.tidy()

    @property
    def tables(self) -> dict[str, int]:
        """Sizes of what could grow: on Redis, on the disk, and in memory by the name of the attribute."""
        entries = [held for kind, held in self.peer.spool.streams.seen() if kind is not Kind.DEAD]
        return {
            "entries": sum(map(len, entries)),
            "files": len(self.disk.names()),
            **dict(containers(self.peer, "peer", set())),
        }


def containers(thing, name, seen):
    """Sizes of the containers that a part of the peer holds, and its parts."""
    if isinstance(thing, list | dict | set | deque | bytearray):
        yield name, len(thing)
    elif type(thing).__module__.startswith("forebay.outfeed.") and id(thing) not in seen:
        seen.add(id(thing))
        slots = getattr(type(thing), "__slots__", ())
        attributes = getattr(thing, "__dict__", None) or {slot: getattr(thing, slot) for slot in slots}
        for attribute, value in attributes.items():
            yield from containers(value, f"{name}.{attribute}", seen)


CHANCES = {Outcome.ACCEPTED: 95, Outcome.DEFERRED: 2, Outcome.REJECTED: 2, Outcome.REFUSED: 1}
REPLIES = {
    Outcome.ACCEPTED: "239",
    Outcome.REFUSED: "438 seen",
    Outcome.REJECTED: "439 no",
    Outcome.DEFERRED: "431 later",
    Outcome.FAILED: "501 what?",
}


def is_poison(token) -> bool:
    return token.seq % POISON == POISON - 1


@pytest.fixture
async def day(made):
    day = Day(seed=10)
    await day.start()
    yield day
    await day.close()


async def drain(day) -> None:
    """The peer stays, and what waits for it goes out."""
    if not day.is_up:
        day.flip()
    day.flip_at = float("inf")
    for _ in range(3000):
        if not day.peer.feed.ledger.owed:
            return
        await day.step(0)
    raise AssertionError(f"{day.peer.feed.ledger} was owed for ever")


async def test_a_peer_that_comes_and_goes_for_a_day_gets_every_article_once_and_nothing_grows(day):
    tables = []
    with capture_logs() as journal:
        for _ in range(24):
            for _ in range(3600 // STEP):
                await day.step(day.chance.choice([0, 0, 1, 2]))
            # What is left is not what waits: that goes out first.
            await drain(day)
            await day.keep_house()
            tables.append(day.tables)
            day.flip_at = day.clock.now
    ledger = day.peer.feed.ledger
    poison = day.offered // POISON
    assert day.flips > 100
    assert day.offered > 5000
    assert (ledger.owed, ledger.dropped.total(), ledger.dead_lettered) == (0, 0, poison)
    assert ledger.accepted + ledger.refused + ledger.rejected == day.offered - poison
    assert ledger.refused > 20, "answers were lost with the connection"
    assert len(day.settled) == day.offered - poison
    assert set(day.settled.values()) == {1}
    assert set(day.failures.values()) == {TRIES}
    assert day.outcomes.counts["accepted"] == ledger.accepted
    assert day.outcomes.counts["dead-lettered"] == poison
    # 1,500 s are at the most 2 + 4 + ... + 256 s, then 300 s each, of which chance takes away a quarter.
    assert max(day.tries) <= 14
    assert day.peer.feed.checkpoint == day.log.head - 1
    assert not day.peer.spool.streams.resend
    assert day.log.count_owed(day.number) == poison, "dead letters are kept"

    later = {name: max(table.get(name, 0) for table in tables[2:]) for name in tables[-1]}
    earlier = {name: max(table.get(name, 0) for table in tables[:2]) for name in tables[-1]}
    assert {name: (earlier[name], size) for name, size in later.items() if size > earlier[name] + 3} == {}
    assert later["entries"] == 0
    events = Counter(entry["event"] for entry in journal)
    assert events.keys() <= {"line up", "line down", "peer answers", "articles are given up"}, events
    assert len(journal) <= 3 * (day.flips + sum(day.tries)) + poison
