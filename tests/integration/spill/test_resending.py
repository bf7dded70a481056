"""Promotion, reading, checkpoints, deferral and dead letters."""

import asyncio

import pytest

from forebay.spill import DeadLetter, Kind, Promotion, Spool, SpoolSettings
from integration.spill.conftest import QUICK, contents, drain
from peers.valkey import Valkey


async def fill(spool: Spool, kind: Kind, *entries: bytes) -> None:
    """One stream an entry."""
    for entry in entries:
        await spool.append(kind, [entry.ljust(100, b".")])


def names(entries: list[bytes]) -> list[bytes]:
    return [entry.rstrip(b".") for entry in entries]


async def test_the_oldest_backlog_stream_is_promoted_first(spool: Spool) -> None:
    await fill(spool, Kind.BACKLOG, b"1", b"2", b"3")
    assert names(await drain(spool)) == [b"1", b"2", b"3"]


async def test_backlog_goes_before_deferred(spool: Spool) -> None:
    await fill(spool, Kind.DEFERRED, b"d1", b"d2")
    await fill(spool, Kind.BACKLOG, b"b1", b"b2")
    assert names(await drain(spool)) == [b"b1", b"b2", b"d1", b"d2"]


async def test_an_open_stream_may_become_r_and_the_next_append_opens_another(spool: Spool, valkey: Valkey) -> None:
    await spool.append(Kind.BACKLOG, [b"a"])
    assert (await spool.promote(0)).done
    await spool.append(Kind.BACKLOG, [b"b"])
    keys = await valkey.command("KEYS", "*peer}:[BR]*")
    assert sorted(key.decode()[-3:] for key in keys) == ["B:2", "}:R"]


async def test_nothing_is_promoted_while_there_is_r(spool: Spool) -> None:
    await fill(spool, Kind.BACKLOG, b"1", b"2")
    assert (await spool.promote(0)).done
    assert not (await spool.promote(0)).done
    assert spool.state.resend.entries == spool.state.backlog.entries == 1


async def test_a_young_deferred_stream_tells_how_long_to_wait(spool: Spool) -> None:
    await spool.append(Kind.DEFERRED, [b"a"])
    promotion = await spool.promote(30)
    assert not promotion.done
    assert promotion.wait == pytest.approx(30, abs=5)


async def test_without_anything_there_is_nothing_to_wait_for(spool: Spool) -> None:
    assert await spool.promote(30) == Promotion(done=False)


async def test_reading_goes_on_where_it_stopped(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"1", b"2", b"3"])
    await spool.promote(0)
    batches = [[entry.data for entry in await spool.read(2)] for _ in range(3)]
    assert batches == [[b"1", b"2"], [b"3"], []]


async def test_r_is_deleted_when_its_end_is_acknowledged(spool: Spool, valkey: Valkey) -> None:
    await spool.append(Kind.BACKLOG, [b"1", b"2"])
    await spool.promote(0)
    spool.ack([entry.id for entry in await spool.read(9)])
    await (await spool.checkpoint()).wait()
    assert not await valkey.command("KEYS", "*peer}:R")
    assert spool.state.resend.entries == 0


async def test_the_checkpoint_waits_for_the_first_unsettled_entry(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"1", b"2", b"3", b"4"])
    await spool.promote(0)
    first, second, third, _ = [entry.id for entry in await spool.read(9)]
    spool.ack([third])
    await spool.checkpoint()
    assert spool.state.resend.entries == 4
    spool.ack([second, first])
    await spool.checkpoint()
    assert spool.state.resend.entries == 1


async def test_loading_again_reads_from_the_checkpoint(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"1", b"2", b"3"])
    await spool.promote(0)
    spool.ack([(await spool.read(3))[0].id])
    await spool.checkpoint()
    loaded = await spool.load()
    assert loaded.state.resend.entries == 2
    assert not loaded.fresh
    assert [entry.data for entry in await spool.read(9)] == [b"2", b"3"]


async def test_ids_of_before_a_take_over_are_ignored(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"1"])
    await spool.promote(0)
    entries = await spool.read(1)
    await spool.load()
    spool.ack([entries[0].id, b"1-1"])
    await spool.checkpoint()
    assert spool.state.resend.entries == 1


async def test_a_deferred_entry_is_in_d_alone(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"1", b"2", b"3"])
    await spool.promote(0)
    entries = await spool.read(9)
    await (await spool.defer([(entries[1].id, b"2 again")])).wait()
    found = await contents(spool)
    assert found[Kind.RESEND] == [b"1", b"3"]
    assert found[Kind.DEFERRED] == [b"2 again"]
    assert (spool.state.resend.bytes, spool.state.deferred.bytes) == (2, 7)


async def test_deferring_the_last_unsettled_entry_ends_r(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"1", b"2"])
    await spool.promote(0)
    entries = await spool.read(9)
    spool.ack([entries[0].id])
    await spool.checkpoint()
    await spool.defer([(entries[1].id, b"2")])
    assert spool.state.resend.entries == 0
    assert await drain(spool) == [b"2"]


async def test_deferring_twice_moves_once(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"1", b"2"])
    await spool.promote(0)
    entries = await spool.read(9)
    for _ in range(2):
        await spool.defer([(entries[0].id, b"1")])
    assert spool.state.deferred.entries == 1


async def test_a_dead_letter_out_of_r_keeps_its_reason(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"bad", b"good"])
    await spool.promote(0)
    bad, _ = await spool.read(9)
    await spool.dead_letter([DeadLetter(bad.data, "501 no such article", 3, 1_700_000_000_000, bad.id)])
    (letter,) = await spool.dead_letters(9)
    assert letter[:4] == (b"bad", "501 no such article", 3, 1_700_000_000_000)
    assert (spool.state.resend.entries, spool.state.dead.entries) == (1, 1)


async def test_an_entry_that_was_never_in_redis_can_be_dead_lettered(spool: Spool) -> None:
    await spool.dead_letter([DeadLetter(b"a", "no", 1, 1), DeadLetter(b"b", "no", 1, 1)])
    assert [letter.data for letter in await spool.dead_letters(9)] == [b"a", b"b"]


async def test_dead_letters_are_listed_in_pages(spool: Spool) -> None:
    await spool.dead_letter([DeadLetter(b"%d" % number, "no", 1, 1) for number in range(5)])
    page = await spool.dead_letters(2)
    rest = await spool.dead_letters(9, page[-1].id)
    assert [letter.data for letter in page + rest] == [b"0", b"1", b"2", b"3", b"4"]


async def test_a_replayed_dead_letter_is_backlog_again(spool: Spool) -> None:
    await spool.dead_letter([DeadLetter(b"a", "no", 5, 1), DeadLetter(b"b", "no", 5, 1)])
    first, _ = await spool.dead_letters(9)
    assert await spool.replay([(first.id, b"a afresh"), (b"1-1", b"unknown")]) == 1
    assert await drain(spool) == [b"a afresh"]
    assert spool.state.dead.entries == 1


async def test_a_large_r_gives_memory_back_while_it_drains(spool: Spool, valkey: Valkey) -> None:
    await spool.append(Kind.BACKLOG, [b"%d" % number for number in range(1000)])
    await spool.promote(0)
    spool.ack([entry.id for entry in await spool.read(600)])
    await spool.checkpoint()
    assert 400 <= await valkey.command("XLEN", "forebay:{outfeed/uid/peer}:R") < 600
    assert spool.state.resend.entries == 400


async def test_an_r_whose_stream_is_gone_ends(spool: Spool, valkey: Valkey) -> None:
    await spool.append(Kind.BACKLOG, [b"1"])
    await spool.promote(0)
    await valkey.command("DEL", "forebay:{outfeed/uid/peer}:R")
    assert await spool.read(9) == []
    assert spool.state.resend.entries == 0


async def test_a_listed_stream_that_is_gone_is_passed_over(spool: Spool, valkey: Valkey) -> None:
    await fill(spool, Kind.BACKLOG, b"1", b"2")
    await valkey.command("DEL", "forebay:{outfeed/uid/peer}:B:1")
    assert names(await drain(spool)) == [b"2"]
    assert spool.state.backlog.entries == 0


async def test_a_list_changed_by_somebody_else_is_read_again(spool: Spool, valkey: Valkey) -> None:
    await fill(spool, Kind.BACKLOG, b"1", b"2")
    meta = "forebay:{outfeed/uid/peer}:meta"
    await valkey.command("HSET", meta, "B", "3", "last", "3", "3:opened", 1, "3:entries", 1, "3:bytes", 4)
    await valkey.command("HDEL", meta, "open:B")
    await valkey.command("XADD", "forebay:{outfeed/uid/peer}:B:3", "*", "e", b"both")
    assert await drain(spool) == [b"both"]
    await spool.append(Kind.BACKLOG, [b"next"])
    assert await drain(spool) == [b"next"]


async def test_octets_over_the_limit_go_oldest_first(spool: Spool) -> None:
    await fill(spool, Kind.BACKLOG, b"1", b"2", b"3", b"4")
    spool.settings = SpoolSettings(100, 0, limit_bytes=250)
    dropped = await spool.enforce()
    assert dropped is not None
    assert (dropped.reason, names(dropped.entries)) == ("limit-bytes", [b"1"])
    dropped = await spool.enforce()
    assert dropped is not None
    assert names(dropped.entries) == [b"2"]
    assert await spool.enforce() is None
    assert names(await drain(spool)) == [b"3", b"4"]


async def test_the_newest_entry_stays_however_large(spool: Spool) -> None:
    await fill(spool, Kind.BACKLOG, b"1", b"2")
    spool.settings = SpoolSettings(100, 0, limit_bytes=1)
    assert await spool.enforce() is not None
    assert await spool.enforce() is None
    assert names(await drain(spool)) == [b"2"]


async def test_dropped_entries_come_in_bounded_batches(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"%d" % number for number in range(9)])
    spool.settings = SpoolSettings(1000, 0, limit_bytes=2)
    sizes = []
    while dropped := await spool.enforce(count=3):
        sizes.append(len(dropped.entries))
    assert sizes == [3, 3, 1]


async def test_entries_on_their_way_are_not_dropped(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"1", b"2", b"3"])
    await spool.promote(0)
    read = await spool.read(1)
    spool.settings = SpoolSettings(100, 0, limit_age=0)
    await asyncio.sleep(0.005)  # ages are compared in milliseconds
    dropped = await spool.enforce()
    assert dropped is not None
    assert (dropped.reason, dropped.entries) == ("limit-age", [b"2", b"3"])
    spool.ack([read[0].id])
    await spool.checkpoint()
    assert spool.state.resend.entries == 0


async def test_entries_younger_than_the_limit_stay(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"1"])
    spool.settings = SpoolSettings(100, 0, limit_age=60)
    assert await spool.enforce() is None


async def test_without_limits_nothing_is_dropped(spool: Spool) -> None:
    await spool.append(Kind.BACKLOG, [b"x"])
    assert spool.settings == QUICK
    assert await spool.enforce() is None


async def test_a_checkpoint_covers_what_was_appended_before(spool: Spool, valkey: Valkey) -> None:
    await spool.append(Kind.BACKLOG, [b"x"])
    covering = await spool.checkpoint()
    assert not covering.done
    await covering.wait()


@pytest.mark.parametrize("kind", [Kind.RESEND, Kind.DEAD])
async def test_other_streams_are_not_appended_to(spool: Spool, kind: Kind) -> None:
    with pytest.raises(ValueError, match="BACKLOG or DEFERRED only"):
        await spool.append(kind, [b"x"])


async def test_what_is_still_to_be_read_is_known(spool):
    await spool.append(Kind.BACKLOG, [b"a" * 60, b"b" * 60])
    await spool.append(Kind.BACKLOG, [b"c"])
    assert spool.unread == 3
    await spool.promote(0)
    first, second = await spool.read(10)
    assert spool.unread == 1
    spool.ack([second.id])
    assert spool.unread == 1
    spool.ack([first.id])
    await spool.checkpoint()
    assert spool.unread == 1
    await spool.promote(0)
    assert len(await spool.read(10)) == 1
    assert spool.unread == 0
