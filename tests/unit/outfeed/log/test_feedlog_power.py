"""Power loss at every operation of everything the feed log does."""

import random
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from feedlogs import SETTINGS, end, key, record, records, replayed, tokens
from forebay.feedlog.logsegment import SEGMENT_ENTRIES
from forebay.msgstore.errors import MessageStoreError
from forebay.outfeed.log import ownershipjournal
from forebay.outfeed.log.feedlog import FeedLog
from powerloss import PowerLossDisk

SECOND = SEGMENT_ENTRIES
"""Seq of the first article after the restart."""


@pytest.fixture(autouse=True)
def short_journal(monkeypatch):
    monkeypatch.setattr(ownershipjournal, "MIN_GROWTH", 60)


@dataclass
class Witness:
    """What the feed log had said before the power went."""

    confirmed: dict[int, int] = field(default_factory=dict)
    """Number of the article, by seq."""
    released: set[tuple[int, int]] = field(default_factory=set)
    """(peer, seq) that may be gone."""
    handed: set[tuple[int, int]] = field(default_factory=set)
    """(peer, seq) whose references may be gone."""
    checkpoint: int = -1
    asked_checkpoint: int = -1

    async def append(self, log: FeedLog, first: int, count: int) -> None:
        seq = await log.append([record(number, 0b11) for number in range(first, first + count)])
        self.confirmed.update(zip(range(seq, seq + count), range(first, first + count), strict=True))

    def release(self, log: FeedLog, peer: int, seqs: range) -> None:
        self.released |= {(peer, seq) for seq in seqs}
        log.release(peer, tokens(seqs.start, len(seqs), self.confirmed[seqs.start]))

    async def flush(self, log: FeedLog) -> None:
        await log.flush()
        self._flushed()

    async def close(self, log: FeedLog) -> None:
        await log.close()
        self._flushed()

    def advance(self, log: FeedLog, seq: int) -> None:
        self.asked_checkpoint = seq
        log.advance(0, seq)

    def _flushed(self) -> None:
        self.handed |= self.released
        self.checkpoint = self.asked_checkpoint


async def scenario(disk: PowerLossDisk, witness: Witness) -> None:
    log = FeedLog.open(disk, SETTINGS)
    try:
        await log.add_peer("a")
        await log.add_peer("b")
        await witness.append(log, 0, 60)
        await witness.append(log, 60, 20)
        witness.release(log, 0, range(80))
        witness.release(log, 1, range(5))
        witness.advance(log, 40)
        await witness.flush(log)
        witness.release(log, 1, range(10, 72))
        witness.advance(log, 79)
        await witness.close(log)
        log = FeedLog.open(disk, SETTINGS)
        await witness.append(log, 80, 5)
        log.history_mark = log.head - 1
        await log.tidy()
        assert log.octets < 4096, "it was compacted"
        for seq in range(72, 80):
            witness.release(log, 1, range(seq, seq + 1))
            await witness.flush(log)
        await log.tidy()
        assert "0000000001.journal" in disk.names("ownership"), "it was replaced"
        witness.release(log, 1, range(5, 10))
        await witness.flush(log)
        await log.tidy()
        assert disk.names("log") == ["0000000001.log"], "one was deleted"
        witness.release(log, 0, range(SECOND, SECOND + 3))
        await witness.flush(log)
    finally:
        await end(log)


async def check(disk: PowerLossDisk, witness: Witness, *, exact: bool) -> None:
    log = FeedLog.open(disk, SETTINGS)
    try:
        for peer in log.peers.values():
            owed = {(peer, t.seq) for t in replayed(log, peer)}
            assert owed == {(peer, seq) for seq in log.owed(peer)}, "what is owed can be read"
            must = {(peer, seq) for seq in witness.confirmed} - witness.released
            assert must <= owed
            assert not owed & witness.handed
        bits = sum(log.count_owed(peer) for peer in log.peers.values())
        assert sum(count for _, count in log.references()) == bits
        if witness.confirmed:
            assert witness.checkpoint <= log.checkpoint(0) <= witness.asked_checkpoint
        if exact:
            assert log.damage == []
        head = log.head
        assert await log.append(records(1000, 3)) >= max(head, *witness.confirmed, 0)
    finally:
        await end(log)


async def operations() -> int:
    disk = PowerLossDisk()
    await scenario(disk, Witness())
    return disk.operations


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
async def test_what_was_confirmed_survives_a_power_loss_at_every_operation(seed):
    total = await operations()
    assert total > 50
    for crash_at in range(1, total + 1):
        disk, witness = PowerLossDisk(crash_at=crash_at), Witness()
        with suppress(OSError, MessageStoreError):
            await scenario(disk, witness)
        assert disk.crashed
        chance = None if seed is None else random.Random(seed * 1000 + crash_at)
        await check(disk.after_power_loss(chance), witness, exact=chance is None)


@pytest.mark.parametrize("seed", [None, 4])
@pytest.mark.parametrize("first_crash", range(12, 72, 6))
async def test_a_power_loss_during_recovery_loses_nothing_either(first_crash, seed):
    disk, witness = PowerLossDisk(crash_at=first_crash), Witness()
    with suppress(OSError, MessageStoreError):
        await scenario(disk, witness)
    chance = None if seed is None else random.Random(seed)
    for crash_at in range(1, 8):
        again = disk.after_power_loss(chance)
        again.crash_at = crash_at
        with suppress(OSError, MessageStoreError):
            await check(again, witness, exact=False)
        await check(again.after_power_loss(chance), witness, exact=False)


async def test_removing_a_peer_survives_a_power_loss_at_every_operation():
    async def remove(disk: PowerLossDisk, handed: set[bytes]) -> None:
        log = FeedLog.open(disk, SETTINGS)
        try:
            await log.add_peer("a")
            await log.add_peer("b")
            await log.append([record(n, 0b11) for n in range(5)])
            async for keys in log.remove_peer("b"):
                handed.update(keys)
            assert await log.add_peer("c") == 1
        finally:
            await end(log)

    disk = PowerLossDisk()
    await remove(disk, set())
    for crash_at in range(1, disk.operations + 1):
        disk, handed = PowerLossDisk(crash_at=crash_at), set()
        with suppress(OSError, MessageStoreError):
            await remove(disk, handed)
        log = FeedLog.open(disk.after_power_loss(), SETTINGS)
        owed = {key(seq) for seq in log.owed(1)}
        assert not owed & handed
        assert log.count_owed(1) == 0 or "b" in log.peers
        await end(log)
