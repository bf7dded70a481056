"""A spool against a model made of lists: whatever is done in whatever order, both hold the same."""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from forebay.spill import DeadLetter, Depth, Entry, Kind, Spill, SpillSettings, SpoolSettings
from integration.spill.conftest import contents
from peers.valkey import new_valkey

ROTATE_BYTES = 20
KINDS = st.sampled_from([Kind.BACKLOG, Kind.DEFERRED])
PICKS = st.sets(st.integers(0, 9), max_size=4)


class Stream:
    """A segment of the model."""

    def __init__(self) -> None:
        self.entries: list[bytes] = []

    @property
    def full(self) -> bool:
        return sum(map(len, self.entries)) >= ROTATE_BYTES


class Resend:
    """R of the model: what the checkpoint has not passed, and what of it is on its way or settled."""

    def __init__(self, entries: list[bytes]) -> None:
        self.unread = list(entries)
        self.read: list[Entry] = []
        self.settled: set[bytes] = set()

    @property
    def held(self) -> list[bytes]:
        return [entry.data for entry in self.read] + self.unread

    @property
    def awaited(self) -> list[Entry]:
        return [entry for entry in self.read if entry.id not in self.settled]

    def checkpoint(self) -> None:
        while self.read and self.read[0].id in self.settled:
            del self.read[0]


class SpoolMachine(RuleBasedStateMachine):
    runner: asyncio.Runner
    url: str
    examples = 0

    def __init__(self) -> None:
        super().__init__()
        SpoolMachine.examples += 1
        self.run = self.runner.run
        self.number = 0
        self.streams: dict[Kind, list[Stream]] = {Kind.BACKLOG: [], Kind.DEFERRED: []}
        self.resend: Resend | None = None
        self.dead: list[bytes] = []
        self.run(self.open())

    async def open(self) -> None:
        self.spill = Spill(SpillSettings(self.url), "outfeed", f"uid-{self.examples}")
        await self.spill.ready()
        self.spool = self.spill.spool("peer", SpoolSettings(ROTATE_BYTES, 0))
        assert (await self.spool.load()).fresh

    def teardown(self) -> None:
        self.run(self.spill.close())

    def fresh(self) -> bytes:
        """An entry unlike all others."""
        self.number += 1
        return b"%d" % self.number

    def put(self, kind: Kind, entries: list[bytes]) -> None:
        """What an append of one batch does."""
        streams = self.streams[kind]
        if entries and (not streams or streams[-1].full):
            streams.append(Stream())
        if entries:
            streams[-1].entries += entries

    def settle_resend(self) -> None:
        if self.resend:
            self.resend.checkpoint()
            if not self.resend.held:
                self.resend = None

    @rule(kind=KINDS, count=st.integers(0, 6))
    def append(self, kind: Kind, count: int) -> None:
        entries = [self.fresh() for _ in range(count)]
        self.run(self.spool.append(kind, entries))
        self.put(kind, entries)

    @rule()
    def promote(self) -> None:
        done = self.run(self.spool.promote(0)).done
        self.settle_resend()
        kinds = [kind for kind in (Kind.BACKLOG, Kind.DEFERRED) if self.streams[kind]]
        assert done == (self.resend is None and bool(kinds))
        if done:
            self.resend = Resend(self.streams[kinds[0]].pop(0).entries)

    @rule(count=st.integers(1, 5))
    def read(self, count: int) -> None:
        entries = self.run(self.spool.read(count))
        self.settle_resend()
        expected = self.resend.unread[:count] if self.resend else []
        assert [entry.data for entry in entries] == expected
        if self.resend:
            self.resend.read += entries
            del self.resend.unread[: len(entries)]

    def picked(self, picks: set[int]) -> list[Entry]:
        assert self.resend is not None
        return [entry for place, entry in enumerate(self.resend.awaited) if place in picks]

    @precondition(lambda self: self.resend)
    @rule(picks=PICKS)
    def ack(self, picks: set[int]) -> None:
        assert self.resend is not None
        entries = self.picked(picks)
        self.spool.ack([entry.id for entry in entries])
        self.resend.settled |= {entry.id for entry in entries}

    @rule()
    def checkpoint(self) -> None:
        self.run(self.spool.checkpoint())
        self.settle_resend()

    @precondition(lambda self: self.resend)
    @rule(picks=PICKS)
    def defer(self, picks: set[int]) -> None:
        entries = [(entry, self.fresh()) for entry in self.picked(picks)]
        self.run(self.spool.defer([(entry.id, again) for entry, again in entries]))
        self.put(Kind.DEFERRED, [again for _, again in entries])
        self.take_out([entry for entry, _ in entries])

    @precondition(lambda self: self.resend)
    @rule(picks=PICKS)
    def dead_letter(self, picks: set[int]) -> None:
        entries = self.picked(picks)
        self.run(self.spool.dead_letter([DeadLetter(entry.data, "why", 1, 2, entry.id) for entry in entries]))
        self.dead += [entry.data for entry in entries]
        self.take_out(entries)

    def take_out(self, entries: list[Entry]) -> None:
        assert self.resend is not None
        self.resend.read = [entry for entry in self.resend.read if entry not in entries]
        if not self.resend.held:
            self.resend = None

    @rule(count=st.integers(1, 3))
    def replay(self, count: int) -> None:
        letters = self.run(self.spool.dead_letters(count))
        assert [letter.data for letter in letters] == self.dead[:count]
        assert self.run(self.spool.replay([(letter.id, letter.data) for letter in letters])) == len(letters)
        self.put(Kind.BACKLOG, self.dead[:count])
        del self.dead[:count]

    @rule()
    def load_again(self) -> None:
        """As after a crash: what was read but not passed by the checkpoint is read again."""
        self.run(self.spool.load())
        if self.resend:
            self.resend = Resend(self.resend.held)

    @rule()
    def doubt(self) -> None:
        """As after an answer that was lost: the ledger is read again before the next command."""
        self.spool._doubt = True

    @invariant()
    def the_state_agrees(self) -> None:
        state = self.spool.state
        held = self.resend.held if self.resend else []
        assert state.backlog == depth(self.entries(Kind.BACKLOG))
        assert state.deferred == depth(self.entries(Kind.DEFERRED))
        assert state.resend == depth(held)
        assert state.dead.entries == len(self.dead)

    @invariant()
    def the_streams_agree(self) -> None:
        found = self.run(contents(self.spool))
        assert found[Kind.BACKLOG] == self.entries(Kind.BACKLOG)
        assert found[Kind.DEFERRED] == self.entries(Kind.DEFERRED)
        assert len(found[Kind.DEAD]) == len(self.dead)

    def entries(self, kind: Kind) -> list[bytes]:
        return [entry for stream in self.streams[kind] for entry in stream.entries]


def depth(entries: list[bytes]) -> Depth:
    return Depth(len(entries), sum(map(len, entries)))


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def test_a_spool_behaves_like_lists(runner: asyncio.Runner, scale: int) -> None:
    server = new_valkey()
    valkey = runner.run(server.__aenter__())
    try:
        runner.run(valkey.start())
        SpoolMachine.runner, SpoolMachine.url = runner, valkey.url
        run_state_machine_as_test(
            SpoolMachine,
            settings=settings(
                max_examples=60 * scale,
                stateful_step_count=40,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        runner.run(server.__aexit__(None, None, None))
