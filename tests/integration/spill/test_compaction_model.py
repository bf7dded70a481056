"""A spool that is compacted at any time, by jobs that are late, beaten by another or killed, against lists."""

import asyncio
from collections.abc import Iterable
from typing import NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test

from compacting import KINDS, Choice, Compaction, KilledError, MortalClient, compact, stage
from forebay.spill import Dropped, Entry, Kind, TlsFiles
from forebay.spill.blockingclient import BlockingClient
from forebay.spill.compaction import Compactor
from forebay.spill.ledger import Ledger
from integration.spill.test_model import ROTATE_BYTES, SpoolMachine, Stream, depth
from peers.valkey import new_valkey


def stays(data: bytes) -> bool:
    return int(data) % 3 > 0


def choose(entries: list[Entry]) -> Choice:
    """A third expires; what is left is put into another order."""
    kept = sorted((entry for entry in entries if stays(entry.data)), key=lambda entry: entry.data)
    return Choice(kept, expired=[entry for entry in entries if not stays(entry.data)])


class Staged(NamedTuple):
    """A job that has not committed yet, and the streams it has read."""

    compaction: Compaction
    inputs: dict[Kind, list[Stream]]


class CompactionMachine(SpoolMachine):
    def __init__(self) -> None:
        super().__init__()
        self.staged: list[Staged] = []
        self.castoffs: list[Dropped] = []
        """What was dropped and is not forgotten, a stream each."""
        self.told = 0
        """Streams of them that were read to their end."""
        self.place = 0
        """Entries that were told of the next one."""

    async def open(self) -> None:
        await super().open()
        self.client = BlockingClient(self.url, TlsFiles())
        self.compactor = Compactor(self.client, "outfeed", f"uid-{self.examples}")

    def teardown(self) -> None:
        self.notice()
        while self.castoffs:
            self.tell(3)
            self.forget()
        assert self.run(self.spool.dropped()) is None
        self.compactor.close()
        super().teardown()

    def fresh(self) -> bytes:
        """An entry unlike all others; two fill a stream."""
        self.number += 1
        return b"%010d" % self.number

    def closed(self) -> dict[Kind, list[Stream]]:
        return {kind: self.streams[kind][:-1] for kind in KINDS}

    def unchanged(self, inputs: dict[Kind, list[Stream]]) -> bool:
        return all(self.streams[kind][: len(inputs[kind])] == inputs[kind] for kind in KINDS)

    def replace(self, inputs: dict[Kind, list[Stream]]) -> None:
        """What a commit does."""
        for kind, streams in inputs.items():
            entries = [entry for stream in streams for entry in stream.entries]
            kept = outputs(sorted(filter(stays, entries)))
            self.streams[kind][: len(streams)] = kept
            if expired := [entry for entry in entries if not stays(entry)]:
                self.castoffs.append(Dropped("limit-age", expired, kind))

    @rule(kind=st.sampled_from(KINDS), count=st.integers(2, 6))
    def fill(self, kind: Kind, count: int) -> None:
        """Have closed segments."""
        for _ in range(count):
            self.append(kind, 2)

    @precondition(lambda self: len(self.staged) < 3 and any(self.closed().values()))
    @rule()
    def stage(self) -> None:
        self.staged.append(Staged(stage(self.compactor, "peer", choose, ROTATE_BYTES), self.closed()))

    @precondition(lambda self: self.staged)
    @rule(pick=st.integers(0, 2), expired=st.booleans())
    def commit(self, pick: int, expired: bool) -> None:
        compaction, inputs = self.staged.pop(pick % len(self.staged))
        staged = [*compaction.outputs, *compaction.dropped]
        if expired:
            self.compactor.abandon(staged[:1])
        commit = self.compactor.commit(*compaction)
        assert commit.done == (self.unchanged(inputs) and not (expired and staged))
        if commit.done:
            self.replace(inputs)

    @precondition(lambda self: any(self.closed().values()))
    @rule(lives=st.integers(0, 30), late=st.booleans())
    def compact_and_die(self, lives: int, late: bool) -> None:
        client = MortalClient(self.url, TlsFiles())
        client.lives, client.late = lives, late
        inputs, before = self.closed(), self.compactor.plan("peer").generation
        try:
            assert compact(Compactor(client, "outfeed", f"uid-{self.examples}"), "peer", choose, ROTATE_BYTES).done
        except KilledError:
            pass
        finally:
            client.close()
        if self.compactor.plan("peer").generation > before:
            self.replace(inputs)

    # The owner's service

    @rule()
    def notice(self) -> None:
        self.spool.tenure.generation = self.compactor.plan("peer").generation

    @rule(count=st.integers(1, 5))
    def tell(self, count: int) -> None:
        self.notice()
        dropped = self.run(self.spool.dropped(count))
        while self.told < len(self.castoffs):
            reason, entries, kind = self.castoffs[self.told]
            if part := entries[self.place : self.place + count]:
                self.place += count
                assert dropped == (reason, part, kind)
                return
            self.told, self.place = self.told + 1, 0
        assert dropped is None

    @rule()
    def forget(self) -> None:
        self.run(self.spool.forget_dropped())
        del self.castoffs[: self.told]
        self.told = 0

    @rule()
    def load_again(self) -> None:
        super().load_again()
        self.told = self.place = 0

    # What has to hold

    @invariant()
    def the_state_agrees(self) -> None:
        if self.spool.state.generation == self.compactor.plan("peer").generation:
            super().the_state_agrees()

    @invariant()
    def the_streams_agree(self) -> None:
        keys = self.spool.tenure.keys
        fields = self.client.run("HGETALL", keys.meta)
        ledger = Ledger.parse([part for pair in fields.items() for part in pair])
        for kind, queue in ledger.queues.items():
            found = [[entry.data for entry in self.read(keys.stream(kind, segment.id))] for segment in queue]
            assert found == [stream.entries for stream in self.streams[kind]]
            assert [(item.entries, item.bytes) for item in queue] == [(len(e), depth(e).bytes) for e in found]
        resend = [entry.data for entry in self.read(keys.resend, ledger.checkpoint)]
        assert resend == (self.resend.held if self.resend else [])
        found = [(item.reason, self.castoff(keys.castoff(item.id)), item.kind) for item in ledger.castoffs]
        assert found == self.castoffs

    def castoff(self, stream: str) -> list[bytes]:
        return [data for _, fields in self.client.run("XRANGE", stream, "-", "+") for data in fields[1::2]]

    def read(self, stream: str, after: bytes | None = None) -> Iterable[Entry]:
        return self.compactor.read(stream, after, 1000)


def outputs(entries: list[bytes]) -> list[Stream]:
    """Streams that are closed as soon as they are full."""
    streams: list[Stream] = []
    for entry in entries:
        if not streams or streams[-1].full:
            streams.append(Stream())
        streams[-1].entries.append(entry)
    return streams


def test_a_compacted_spool_behaves_like_lists(scale: int) -> None:
    with asyncio.Runner() as runner:
        server = new_valkey()
        valkey = runner.run(server.__aenter__())
        try:
            runner.run(valkey.start())
            CompactionMachine.runner, CompactionMachine.url = runner, valkey.url
            run_state_machine_as_test(
                CompactionMachine,
                settings=settings(
                    max_examples=40 * scale,
                    stateful_step_count=50,
                    deadline=None,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            runner.run(server.__aexit__(None, None, None))
