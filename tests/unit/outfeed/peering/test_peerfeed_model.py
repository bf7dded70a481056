"""A peerfeed, its backlog, its custodian and the feed log against a model: who owns each article, whatever happens."""

import asyncio
from collections import Counter
from collections.abc import Callable

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from compacting import of_articles
from fakeclock import settle
from forebay.outfeed.peering import deadletters
from forebay.outfeed.peering.poison import GivingUp
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.token import message_key
from forebay.runtime.errors import UnavailableError
from forebay.spill import Kind
from onepeer import MIN_DEFERRED_AGE, OnePeer

TURNS = st.integers(0, 60)
"""Of the event loop: most rules go on before the tasks are done with the last."""
SHARE = st.floats(0, 1)
FAULTS: dict[str, Callable[[OnePeer], object]] = {
    "leaves": lambda peer: setattr(peer.redis, "away", True),
    "is full": lambda peer: setattr(peer.redis, "room", 0),
    "is nearly full": lambda peer: setattr(peer.redis, "room", 3),
    "syncs later": lambda peer: setattr(peer.redis, "lazy", True),
    "syncs at once": lambda peer: setattr(peer.redis, "lazy", False),
    "loses an answer": lambda peer: setattr(peer.redis, "mute", 1),
    "is drained by another": lambda peer: peer.spool.lose_lease(),
}
FINAL = [Outcome.ACCEPTED, Outcome.REFUSED, Outcome.REJECTED, Outcome.MISSING]
OUTCOMES = st.sampled_from([*FINAL, Outcome.DEFERRED, Outcome.FAILED])


class OwnershipMachine(RuleBasedStateMachine):
    """`settled`: articles that the peer is done with for good; `unflushed`: those of them a crash would bring back."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.peer = OnePeer(size=6, limits=GivingUp(failures=1))
        self.settled: set[int] = set()
        self.unflushed: set[int] = set()
        self.removed: Counter[bytes] = Counter()
        self.noted = 0
        """Lines of the outcome log that were looked at."""
        self.run(self.peer.start())

    def run(self, work):
        return self.loop.run_until_complete(work)

    def some(self, share: float) -> list[int]:
        flying = list(self.peer.in_flight)
        return flying[: 1 + round(share * (len(flying) - 1))]

    # What comes in

    @rule(count=st.integers(1, 12), ours=st.booleans(), turns=TURNS)
    def offer(self, count: int, ours: bool, turns: int) -> None:
        self.run(self.peer.offer(count, ours=ours))
        self.run(settle(turns))

    @rule(count=st.integers(1, 5), turns=TURNS)
    def write_without_fan_out(self, count: int, turns: int) -> None:
        self.run(self.peer.write(count))
        self.run(settle(turns))

    @rule(turns=TURNS)
    def fan_out(self, turns: int) -> None:
        self.peer.fan_out()
        self.run(settle(turns))

    # The lines

    @rule(turns=TURNS)
    def line_up(self, turns: int) -> None:
        self.peer.up()
        self.run(settle(turns))

    @rule(turns=TURNS)
    def line_down(self, turns: int) -> None:
        self.peer.down()
        self.run(settle(turns))

    @rule(limit=st.integers(1, 10), turns=TURNS)
    def take(self, limit: int, turns: int) -> None:
        self.peer.up()
        self.run(settle(turns))
        self.settled_once(self.peer.take(limit))

    @rule(count=st.integers(0, 9), outcome=OUTCOMES, limit=st.integers(1, 10), share=SHARE, turns=TURNS)
    def feed(self, count: int, outcome: Outcome, limit: int, share: float, turns: int) -> None:
        self.run(self.peer.offer(count))
        self.take(limit, turns)
        if self.peer.in_flight:
            self.end(outcome, self.some(share))

    @rule(outcome=OUTCOMES, share=SHARE, turns=TURNS)
    def feed_later(self, outcome: Outcome, share: float, turns: int) -> None:
        self.poll(400, turns)
        self.feed(0, outcome, 10, share, turns)

    @precondition(lambda self: self.peer.in_flight)
    @rule(outcome=OUTCOMES, share=SHARE, turns=TURNS)
    def answer(self, outcome: Outcome, share: float, turns: int) -> None:
        self.end(outcome, self.some(share))
        self.run(settle(turns))

    @precondition(lambda self: self.peer.in_flight)
    @rule(share=SHARE, turns=TURNS)
    def give_back(self, share: float, turns: int) -> None:
        self.peer.give_back(self.some(share))
        self.run(settle(turns))

    @rule(seconds=st.sampled_from([1, MIN_DEFERRED_AGE, 400]), turns=TURNS)
    def poll(self, seconds: float, turns: int) -> None:
        self.peer.clock.advance(seconds)
        self.peer.feed.poll()
        self.run(settle(turns))

    @rule()
    def replay_dead_letters(self) -> None:
        try:
            self.run(deadletters.replay(self.peer, deadletters.Choice()))
        except UnavailableError:
            self.run(settle())

    # Redis

    @rule(fault=st.sampled_from(sorted(FAULTS)), turns=TURNS)
    def redis_fails(self, fault: str, turns: int) -> None:
        FAULTS[fault](self.peer)
        self.peer.backlog.wake()
        self.run(settle(turns))

    @rule(lost=st.sampled_from(["nothing", "unsynced", "everything"]), turns=TURNS)
    def redis_restarts(self, lost: str, turns: int) -> None:
        self.peer.redis.restart(lost=lost)
        self.peer.come_back()
        self.run(settle(turns))

    @rule(down=st.booleans(), count=st.integers(0, 20), share=st.sampled_from([0.0, 0.5, 1.0]), turns=TURNS)
    def compact(self, down: bool, count: int, share: float, turns: int) -> None:
        """A job drops repeats, and the older part of the articles for their age."""
        if down:
            self.line_down(turns)
        for _ in range(count // 5):
            self.offer(5, True, turns)
        if self.peer.uid in self.peer.redis.owners:
            end = round(share * self.peer.log.head)
            self.peer.redis.compact(self.peer.uid, of_articles(lambda token: token.seq < end))
            self.peer.backlog.wake()
        self.run(settle(turns))

    @rule(turns=TURNS)
    def redis_comes_back(self, turns: int) -> None:
        self.peer.redis.sync()
        self.peer.come_back()
        self.run(settle(turns))

    # The process

    @rule(crash=st.booleans(), turns=TURNS)
    def restart(self, crash: bool, turns: int) -> None:
        if crash:
            self.run(self.peer.crash())
            self.note_dropped()
        else:
            keys = self.run(self.peer.stop())
            self.note_dropped()
            self.flushed(keys)
        self.run(self.peer.start())
        self.noted = 0
        assert self.peer.log.was_clean is not crash
        again = {seq for seq in self.settled if self.peer.feed.needs(seq)}
        assert again <= self.unflushed
        self.settled -= again
        self.unflushed = set()
        self.run(settle(turns))

    @rule()
    def flush(self) -> None:
        self.note_dropped()
        self.flushed(self.run(self.peer.flush()))

    @invariant()
    def note_dropped(self) -> None:
        """What a compaction has dropped is settled once it is let go of."""
        for outcome, _, seqs in self.peer.outcomes.lines[self.noted :]:
            if outcome in ("dropped", "expired"):
                self.settled_once(seqs)
                self.settled.update(seqs)
                self.unflushed.update(seqs)
        self.noted = len(self.peer.outcomes.lines)

    # What has to hold

    @invariant()
    def the_ledger_adds_up(self) -> None:
        ledger = self.peer.feed.ledger
        assert ledger.imbalance == 0
        columns = [ledger.queued, ledger.deferred, ledger.in_flight, ledger.dead_kept, ledger.dead_lettered]
        assert min(columns) >= 0, ledger
        assert ledger.in_flight == len(self.peer.in_flight)

    @invariant()
    def the_bits_are_of_what_is_not_settled(self) -> None:
        assert set(self.peer.log.owed(self.peer.number)).isdisjoint(self.settled)

    @rule()
    def rest(self) -> None:
        """Once all has come to rest, each article that is owed is owned by somebody, and by one alone in memory."""
        peer, feed, backlog = self.peer, self.peer.feed, self.peer.backlog
        self.run(peer.rest())
        queue = feed.queue
        waiting = [token.seq for tokens in (queue.fresh, queue.spilling, queue.resent) for token in tokens]
        waiting += [token.seq for token in backlog._put_off] + [buried.token.seq for buried in backlog._buried]
        memory = Counter([*waiting, *peer.in_flight])
        assert not [seq for seq, times in memory.items() if times > 1], memory
        if peer.custodian.audited and peer.custodian._run_id == peer.redis.run_id:
            spilled = {*peer.spilled(), *peer.castoffs()}
            lost = [
                seq
                for seq in peer.log.owed(peer.number)
                if seq < feed.cursor and seq not in memory and seq not in spilled
            ]
            assert not lost, "neither on Redis nor in memory"
        checkpoint = feed.checkpoint
        unsafe = [seq for seq in memory if seq <= checkpoint and not backlog.holds(seq)]
        assert not unsafe, "in memory alone, and the checkpoint has passed it"

    def teardown(self) -> None:
        try:
            self.run(self.deliver_all())
        finally:
            self.run(self.peer.close())
            self.loop.close()

    async def deliver_all(self) -> None:
        """With all healthy, everything is delivered in the end, and nothing is left."""
        peer = self.peer
        peer.redis.lazy, peer.redis.mute = False, 0
        peer.redis.sync()
        peer.come_back()
        peer.fan_out()
        peer.up()
        await peer.rest()
        for _ in range(4):
            await deadletters.replay(peer, deadletters.Choice())
            peer.clock.advance(400)
            peer.feed.poll()
            await peer.rest()
            self.end(Outcome.ACCEPTED, list(peer.in_flight))
            while taken := peer.take():
                self.settled_once(taken)
                self.end(Outcome.ACCEPTED, taken)
                await peer.rest()
        assert not list(peer.log.owed(peer.number))
        assert not peer.feed.ledger.owed, peer.feed.ledger
        await peer.rest()
        assert peer.feed.checkpoint == peer.log.head - 1
        assert not peer.spilled(Kind.BACKLOG, Kind.DEFERRED, Kind.RESEND)

    def settled_once(self, seqs: list[int]) -> None:
        assert self.settled.isdisjoint(seqs), "what is settled is sent again"

    def end(self, outcome: Outcome, seqs: list[int]) -> None:
        self.settled_once(seqs)
        if outcome in FINAL:
            self.settled.update(seqs)
            self.unflushed.update(seqs)
        self.peer.settle(outcome, seqs, "431")

    def flushed(self, keys: list[bytes]) -> None:
        assert Counter(keys) == Counter(message_key(self.peer.message_ids[seq]) for seq in self.unflushed)
        self.unflushed = set()


OwnershipMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
test_each_article_has_one_owner_until_it_is_settled = OwnershipMachine.TestCase
