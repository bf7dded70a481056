"""The storeroom: opened, flushed, tidied and closed in the right order."""

import pytest

from fakeclock import FakeClock
from forebay.feedlog.logsegment import LogRecord
from forebay.msgstore import DiskFullError, Put
from forebay.outfeed.storeroom import UNAUDITED
from forebay.outfeed.token import Token, message_key
from storerooms import message_id, opened, wire

NAMES = ("a", "b")
KEYS = [message_key(message_id(name)) for name in NAMES]
NOW = 1_700_000_000_000


@pytest.fixture
def clock():
    return FakeClock()


async def keep(storeroom):
    """Keep two articles for one peer; returns their tokens."""
    number = await storeroom.feedlog.add_peer("uid")
    await storeroom.store.put([Put(key, (wire(name),), 1) for key, name in zip(KEYS, NAMES, strict=True)])
    records = [LogRecord(message_id(name), NOW, len(wire(name)), b"misc.test", 1 << number) for name in NAMES]
    first = await storeroom.feedlog.append(records)
    storeroom.history.add_batch(KEYS, NOW)
    return [
        Token(message_id(name), message_key(message_id(name)), first + n, NOW, 1, 0) for n, name in enumerate(NAMES)
    ]


async def test_a_new_one_is_empty_and_deletes_nothing_yet(tmp_path, clock):
    async with opened(tmp_path, clock) as storeroom:
        assert storeroom.store.stats.messages == 0
        assert UNAUDITED in storeroom.store.stats.holds


async def test_a_flush_lets_go_of_what_was_released(tmp_path, clock):
    async with opened(tmp_path, clock) as storeroom:
        tokens = await keep(storeroom)
        storeroom.feedlog.release(0, tokens[:1])
        assert storeroom.store.stats.messages == 2
        await storeroom.flush({0: tokens[0].seq})
        assert storeroom.store.stats.messages == 1
        assert storeroom.feedlog.checkpoint(0) == tokens[0].seq


async def test_a_full_disk_puts_a_flush_off(tmp_path, clock, monkeypatch):
    async with opened(tmp_path, clock) as storeroom:
        tokens = await keep(storeroom)
        storeroom.feedlog.release(0, tokens)

        async def full():
            raise DiskFullError("full")

        with monkeypatch.context() as patch:
            patch.setattr(storeroom.feedlog, "flush", full)
            await storeroom.flush({0: 1})
        assert storeroom.store.stats.messages == 2
        await storeroom.flush({0: 1})
        assert storeroom.store.stats.messages == 0


async def test_what_was_kept_is_there_at_the_next_start(tmp_path, clock):
    async with opened(tmp_path, clock) as storeroom:
        await keep(storeroom)
    async with opened(tmp_path, clock) as storeroom:
        assert [bytes(body) for body in storeroom.store.read(KEYS)] == [wire(name) for name in NAMES]
        assert list(storeroom.feedlog.owed(0)) == [0, 1]
        assert all(map(storeroom.history.seen, KEYS))
        assert storeroom.feedlog.was_clean


async def test_closing_lets_go_of_what_was_released_last(tmp_path, clock):
    async with opened(tmp_path, clock) as storeroom:
        storeroom.feedlog.release(0, await keep(storeroom))
    async with opened(tmp_path, clock) as storeroom:
        assert storeroom.store.stats.messages == 0


async def test_the_history_is_rebuilt_from_the_log_when_it_was_not_closed(tmp_path, clock):
    async with opened(tmp_path, clock) as storeroom:
        await keep(storeroom)
    for file in (tmp_path / "history").iterdir():
        file.unlink()
    async with opened(tmp_path, clock) as storeroom:
        assert all(map(storeroom.history.seen, KEYS))


async def test_bodies_that_nobody_owns_are_let_go_at_the_start(tmp_path, clock):
    async with opened(tmp_path, clock) as storeroom:
        await storeroom.store.put([Put(bytes(16), (b"stray",), 1)])
    async with opened(tmp_path, clock) as storeroom:
        assert storeroom.store.stats.messages == 0


async def test_tidying_forgets_what_is_too_old(tmp_path, clock):
    async with opened(tmp_path, clock) as storeroom:
        await keep(storeroom)
        clock.advance(20 * 86_400)
        await storeroom.tidy(2, int(clock.wall() * 1000))
        assert not any(map(storeroom.history.seen, KEYS))
        assert storeroom.feedlog.history_mark == 1


async def test_a_disk_with_less_than_the_reserve_is_full(tmp_path, clock, monkeypatch):
    async with opened(tmp_path, clock) as storeroom:
        monkeypatch.setattr("forebay.outfeed.storeroom.RealDisk.free_bytes", lambda disk: 1 << 40)
        assert not storeroom.disk_full
        monkeypatch.setattr("forebay.outfeed.storeroom.RealDisk.free_bytes", lambda disk: 1)
        assert storeroom.disk_full
