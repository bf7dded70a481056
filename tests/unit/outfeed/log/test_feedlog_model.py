"""The feed log against a model of sets, over restarts and power losses."""

import asyncio
import random
from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from feedlogs import SETTINGS, end, key, message_id, record, replayed, token
from forebay.outfeed.log.feedlog import FeedLog
from powerloss import PowerLossDisk

PEERS = 10


class FeedLogMachine(RuleBasedStateMachine):
    """`owed`: (peer, seq) that nobody has released; `released`: those of which the release is not known as durable."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.disk = PowerLossDisk()
        self.numbers: dict[int, int] = {}
        self.owed: set[tuple[int, int]] = set()
        self.released: list[tuple[int, int]] = []
        self.durable_checkpoints = [-1] * PEERS
        self.checkpoints = [-1] * PEERS
        self.open()
        for peer in range(PEERS):
            assert self.run(self.log.add_peer(f"peer-{peer}")) == peer

    def run(self, work):
        return self.loop.run_until_complete(work)

    def open(self) -> None:
        self.log = FeedLog.open(self.disk, SETTINGS)

    @rule(bitmaps=st.lists(st.integers(0, 2**PEERS - 1), min_size=1, max_size=80))
    def append(self, bitmaps: list[int]) -> None:
        first_number = len(self.numbers)
        first = self.run(self.log.append([record(first_number + n, peers) for n, peers in enumerate(bitmaps)]))
        for n, peers in enumerate(bitmaps):
            self.numbers[first + n] = first_number + n
            self.owed |= {(peer, first + n) for peer in range(PEERS) if peers >> peer & 1}

    @rule(peer=st.integers(0, PEERS - 1), chance=st.randoms(use_true_random=False), share=st.floats(0, 1))
    def release(self, peer: int, chance: random.Random, share: float) -> None:
        seqs = [seq for seq in self.numbers if chance.random() < share]
        released = self.log.release(peer, [token(self.numbers[seq], seq) for seq in seqs])
        expected = [(peer, seq) for seq in seqs if (peer, seq) in self.owed]
        assert sorted((peer, t.seq) for t in released) == expected
        self.owed.difference_update(expected)
        self.released += expected

    @rule(peer=st.integers(0, PEERS - 1), seq=st.integers(-1, 200))
    def advance(self, peer: int, seq: int) -> None:
        self.log.advance(peer, seq)
        self.checkpoints[peer] = max(self.checkpoints[peer], seq)

    @rule()
    def flush(self) -> None:
        self.flushed(self.run(self.log.flush()))

    @rule()
    def tidy(self) -> None:
        self.log.history_mark = self.log.head - 1
        self.run(self.log.tidy())

    @rule()
    def reopen(self) -> None:
        self.flushed(self.run(self.log.close()))
        self.open()
        assert self.log.was_clean

    @rule(chance=st.none() | st.randoms(use_true_random=False))
    def lose_power(self, chance: random.Random | None) -> None:
        self.disk = self.disk.after_power_loss(chance)
        self.run(end(self.log))
        self.open()
        owed = {(peer, seq) for peer in range(PEERS) for seq in self.log.owed(peer)}
        assert self.owed <= owed <= self.owed | set(self.released)
        for peer in range(PEERS):
            assert self.durable_checkpoints[peer] <= self.log.checkpoint(peer) <= self.checkpoints[peer]
        self.owed = owed
        self.released = []
        self.checkpoints = [self.log.checkpoint(peer) for peer in range(PEERS)]

    def flushed(self, keys: list[bytes]) -> None:
        assert Counter(keys) == Counter(key(self.numbers[seq]) for _, seq in self.released)
        self.released = []
        self.durable_checkpoints = self.checkpoints.copy()

    @invariant()
    def the_same_is_owed(self) -> None:
        for peer in range(PEERS):
            expected = sorted(seq for other, seq in self.owed if other == peer)
            assert list(self.log.owed(peer)) == expected
            assert self.log.count_owed(peer) == len(expected)
            found = replayed(self.log, peer, limit=7)
            assert [(t.seq, t.message_id) for t in found] == [(s, message_id(self.numbers[s])) for s in expected]

    @invariant()
    def references_are_the_bits(self) -> None:
        counts = Counter(seq for _, seq in self.owed)
        assert dict(self.log.references()) == {key(self.numbers[seq]): count for seq, count in counts.items()}

    def teardown(self) -> None:
        self.run(end(self.log))
        self.loop.close()


FeedLogMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
test_feed_log_agrees_with_its_model = FeedLogMachine.TestCase
