import asyncio

import pytest

from feedlogs import SETTINGS, end, key, opened, record, records, replayed, token, tokens
from forebay.feedlog.logsegment import SEGMENT_ENTRIES
from forebay.msgstore.errors import DiskFullError, FormatError, StoreFailedError
from forebay.outfeed.errors import LogFullError
from forebay.outfeed.log import ownershipjournal
from forebay.outfeed.log.feedlog import FeedLog, FeedLogSettings
from powerloss import PowerLossDisk


@pytest.fixture
def disk() -> PowerLossDisk:
    return PowerLossDisk()


async def test_seqs_begin_at_zero_and_follow_each_other(disk):
    async with opened(disk) as log:
        assert log.head == 0
        assert await log.append(records(0, 3)) == 0
        assert await log.append(records(3, 2)) == 3
        assert log.head == 5
        assert await log.append([]) == 5


async def test_appends_at_the_same_time_keep_their_order(disk):
    async with opened(disk) as log:
        firsts = await asyncio.gather(*(log.append(records(n * 10, 10)) for n in range(20)))
        assert firsts == list(range(0, 200, 10))
        assert replayed(log) == tokens(0, 200)


async def test_a_peer_is_given_what_was_routed_to_it_at_acceptance(disk):
    async with opened(disk, peers=("a", "b")) as log:
        await log.append([record(0, 0b01), record(1, 0b11), record(2, 0b10), record(3, 0)])
        assert replayed(log, 0) == [token(0, 0), token(1, 1)]
        assert replayed(log, 1) == [token(1, 1), token(2, 2)]
        assert list(log.owed(1, 2)) == [2]
        assert log.count_owed(1) == 2
        assert log.holds(0, 1)
        assert not log.holds(0, 2)
        assert log.holds_all(0, [0, 1])
        assert not log.holds_all(0, [1, 2])
        assert not log.holds_all(0, [1, 1 << 40])


async def test_reading_goes_on_where_it_stopped(disk):
    async with opened(disk) as log:
        await log.append(records(0, 10))
        assert log.read(0, 4, 0) == (tokens(0, 4), 4)
        assert log.read(4, 4, 0) == (tokens(4, 4), 8)
        assert log.read(8, 4, 0) == (tokens(8, 2), 10)
        assert log.read(10, 4, 0) == ([], 10)


async def test_one_read_does_not_go_through_a_whole_log_of_others_articles(disk):
    async with opened(disk, peers=("a", "b")) as log:
        await log.append([record(n, 0b01 if n % 6000 == 0 else 0b10) for n in range(15000)])
        assert log.read(0, 100, 0) == ([token(0, 0)], 1)
        assert [found.seq for found in replayed(log, 0)] == [0, 6000, 12000]


async def test_a_release_counts_once_and_its_key_comes_with_the_flush(disk):
    async with opened(disk) as log:
        await log.append(records(0, 3))
        assert log.release(0, tokens(0, 2)) == tokens(0, 2)
        assert log.release(0, tokens(0, 3)) == [token(2, 2)]
        assert log.release(0, [token(9, 9), token(9, 1 << 30)]) == []
        assert await log.flush() == [key(0), key(1), key(2)]
        assert await log.flush() == []


async def test_a_token_given_twice_is_released_once(disk):
    async with opened(disk) as log:
        await log.append(records(0, 2))
        assert log.release(0, [token(1, 1), token(1, 1), token(0, 0)]) == [token(1, 1), token(0, 0)]


async def test_each_peer_releases_its_own_reference(disk):
    async with opened(disk, peers=("a", "b")) as log:
        await log.append([record(0, 0b11)])
        log.release(0, tokens(0, 1))
        log.release(1, tokens(0, 1))
        assert await log.flush() == [key(0), key(0)]


async def test_a_release_reaches_over_segments(disk):
    async with opened(disk) as log:
        await log.append(records(0, SEGMENT_ENTRIES + 10))
        some = tokens(SEGMENT_ENTRIES - 5, 10)
        assert sorted(log.release(0, some)) == sorted(some)
        assert log.count_owed(0) == SEGMENT_ENTRIES
        assert replayed(log, 0, SEGMENT_ENTRIES - 10) == [
            *tokens(SEGMENT_ENTRIES - 10, 5),
            *tokens(SEGMENT_ENTRIES + 5, 5),
        ]


async def test_a_reopened_log_is_as_it_was_closed(disk):
    async with opened(disk, peers=("a", "b")) as log:
        await log.append([record(n, 0b11) for n in range(10)])
        log.release(0, tokens(2, 3))
        log.advance(1, 7)
        assert await log.close() == [key(2), key(3), key(4)]
    async with opened(disk, peers=()) as log:
        assert log.was_clean
        assert log.peers == {"a": 0, "b": 1}
        assert log.checkpoint(1) == 7
        assert log.checkpoint(0) == -1
        assert list(log.owed(0)) == [0, 1, 5, 6, 7, 8, 9]
        assert replayed(log, 1) == tokens(0, 10)
        assert log.groups_of([3, 99]) == [b"misc.test", b""]
        assert log.damage == []


async def test_a_log_that_was_not_closed_is_not_clean(disk):
    async with opened(disk) as log:
        await log.append(records(0, 1))
        later = disk.after_power_loss()
    async with opened(later) as log:
        assert not log.was_clean
        assert replayed(log) == tokens(0, 1)


async def test_a_seq_is_never_given_twice(disk):
    async with opened(disk) as log:
        await log.append(records(0, 10))
    del disk.contents("log/0000000000.log")[500:]
    async with opened(disk) as log:
        assert await log.append(records(10, 1)) > 9


async def test_the_head_does_not_fall_when_the_newest_segment_is_empty(disk):
    async with opened(disk) as log:
        await log.append(records(0, 3))
        log.release(0, tokens(0, 3))
    disk.create("log/0000000001.log")
    async with opened(disk) as log:
        log.history_mark = log.head - 1
        await log.tidy()
        assert disk.names("log") == ["0000000001.log"]
        assert log.head == SEGMENT_ENTRIES
        assert await log.append(records(3, 1)) == 2 * SEGMENT_ENTRIES


async def test_references_count_the_peers_that_still_need_a_body(disk):
    async with opened(disk, peers=("a", "b")) as log:
        await log.append([record(0, 0b11), record(1, 0b01), record(2, 0b10), record(3, 0)])
        log.release(0, tokens(0, 2))
        assert dict(log.references()) == {key(0): 1, key(2): 1}


async def test_articles_rebuild_a_history_whether_owed_or_not(disk):
    async with opened(disk) as log:
        await log.append(records(0, 4))
        log.release(0, tokens(0, 4))
        assert list(log.articles(2)) == [(key(2), 1_700_000_000_002), (key(3), 1_700_000_000_003)]


async def test_a_new_peer_starts_at_the_head(disk):
    async with opened(disk) as log:
        await log.append(records(0, 5))
        assert log.checkpoint(await log.add_peer("b")) == 4
        assert await log.add_peer("a") == 0


async def test_a_checkpoint_never_goes_back(disk):
    async with opened(disk) as log:
        log.advance(0, 9)
        log.advance(0, 3)
        assert log.checkpoint(0) == 9


async def test_a_removed_peer_gives_back_all_its_references(disk):
    async with opened(disk, peers=("a", "b")) as log:
        await log.append([record(n, 0b11) for n in range(3000)])
        log.release(1, tokens(0, 10))
        keys = [key for some in [part async for part in log.remove_peer("b")] for key in some]
        assert sorted(keys) == sorted(key(n) for n in range(3000))
        assert log.count_owed(0) == 3000
        assert await log.add_peer("c") == 1
        assert log.count_owed(1) == 0


async def test_bits_whose_records_became_unreadable_go_with_their_peer(disk):
    async with opened(disk) as log:
        await log.append(records(0, 3))
        data = disk.contents("log/0000000000.log")
        data[data.index(b"<1@")] ^= 1
        keys = [key async for some in log.remove_peer("a") for key in some]
        assert keys == [key(0), key(2)]
        assert log.count_owed(0) == 0
        assert len(log.damage) == 1


async def test_segments_that_nobody_needs_are_deleted(disk):
    async with opened(disk) as log:
        await log.append(records(0, SEGMENT_ENTRIES + 1))
        log.release(0, tokens(0, SEGMENT_ENTRIES))
        await log.flush()
        await log.tidy()
        assert disk.names("log") == ["0000000000.log", "0000000001.log"], "the history does not have it yet"
        log.history_mark = log.head - 1
        await log.tidy()
        assert disk.names("log") == ["0000000001.log"]
        assert replayed(log) == tokens(SEGMENT_ENTRIES, 1)
    async with opened(disk) as log:
        assert log.head == SEGMENT_ENTRIES + 1


async def test_the_newest_segment_is_kept_for_its_number(disk):
    async with opened(disk) as log:
        await log.append(records(0, 3))
        log.release(0, tokens(0, 3))
        log.history_mark = SEGMENT_ENTRIES * 2
        await log.tidy()
        assert disk.names("log") == ["0000000000.log"]


async def test_one_stuck_article_does_not_keep_a_whole_segment(disk):
    async with opened(disk) as log:
        await log.append(records(0, SEGMENT_ENTRIES + 1))
        before = log.octets
        log.release(0, [t for t in tokens(0, SEGMENT_ENTRIES) if t.seq != 5000])
        await log.flush()
        log.history_mark = log.head - 1
        await log.tidy()
        assert log.octets < before / 1000
        assert replayed(log) == [token(5000, 5000), *tokens(SEGMENT_ENTRIES, 1)]
        assert log.groups_of([5000]) == [b"misc.test"]
    async with opened(disk) as log:
        assert replayed(log) == [token(5000, 5000), *tokens(SEGMENT_ENTRIES, 1)]
        assert log.release(0, tokens(4999, 3)) == [token(5000, 5000)]


async def test_a_grown_journal_is_replaced_by_a_short_one(disk, monkeypatch):
    monkeypatch.setattr(ownershipjournal, "MIN_GROWTH", 1000)
    async with opened(disk, peers=("a", "b")) as log:
        await log.append([record(n, 0b11) for n in range(200)])
        for n in range(0, 200, 2):
            log.release(0, tokens(n, 1))
            log.advance(1, n)
            await log.flush()
        before = disk.contents("ownership/0000000000.journal")
        await log.tidy()
        (name,) = disk.names("ownership")
        assert len(disk.contents(f"ownership/{name}")) < len(before) / 4
        log.release(0, tokens(1, 1))
    async with opened(disk, peers=()) as log:
        assert list(log.owed(0)) == list(range(3, 200, 2))
        assert log.count_owed(1) == 200
        assert log.checkpoint(1) == 198


async def test_too_much_behind_the_slowest_checkpoint_stops_the_intake(disk):
    async with opened(disk, FeedLogSettings(limit=20_000, reserve=0), peers=("quick", "slow")) as log:
        while not log.room.is_full:
            await log.append([record(n, 0b11) for n in range(50)])
        with pytest.raises(LogFullError, match="limit is 20000"):
            await log.append(records(0, 1))
        log.advance(0, log.head - 1)
        await log.flush()
        assert log.room.is_full
        log.advance(1, log.head - 1)
        await log.flush()
        assert log.room.backlog == 0
        await log.append(records(0, 1))


async def test_a_peer_that_wants_nothing_does_not_hold_the_log_up(disk):
    async with opened(disk, peers=("a", "b")) as log:
        await log.append(records(0, 1000, 0b01))
        log.release(0, tokens(0, 600))
        await log.flush()
        assert 0 < log.room.backlog < log.octets
        log.advance(0, 999)
        await log.flush()
        assert log.room.backlog == 0


async def test_a_full_disk_keeps_nothing_and_takes_more_later(disk):
    async with opened(disk) as log:
        await log.append(records(0, 10))
        disk.limit = disk.used() + 1000
        with pytest.raises(DiskFullError):
            await log.append(records(10, 1000))
        assert log.head == 10
        assert await log.append(records(10, 2)) == 10
        disk.limit = 1 << 40
        assert await log.append(records(12, 1000)) == 12
        assert replayed(log) == tokens(0, 1012)
        later = disk.after_power_loss()
    async with opened(later) as log:
        assert replayed(log) == tokens(0, 1012)


async def test_a_full_disk_at_the_turn_of_segments_keeps_nothing(disk):
    async with opened(disk) as log:
        await log.append(records(0, SEGMENT_ENTRIES - 10))
        disk.limit = disk.used() + 1500
        with pytest.raises(DiskFullError):
            await log.append(records(SEGMENT_ENTRIES - 10, 30))
        assert disk.names("log") == ["0000000000.log"]
        disk.limit = 1 << 40
        assert await log.append(records(SEGMENT_ENTRIES - 10, 30)) == SEGMENT_ENTRIES - 10
        later = disk.after_power_loss()
    async with opened(later) as log:
        assert [t.seq for t in replayed(log)] == list(range(SEGMENT_ENTRIES + 20))


async def test_the_reserve_lets_releases_through_when_appends_are_not(disk):
    async with opened(disk, FeedLogSettings(limit=1 << 30, reserve=10_000)) as log:
        await log.append(records(0, 10))
        disk.limit = disk.used() + 9_000
        with pytest.raises(DiskFullError, match="10000 octets"):
            await log.append(records(10, 1))
        log.release(0, tokens(0, 10))
        assert len(await log.flush()) == 10


async def test_a_flush_that_found_no_room_is_repeated_by_the_next(disk):
    async with opened(disk) as log:
        await log.append(records(0, 3))
        log.release(0, tokens(0, 1))
        log.advance(0, 0)
        disk.limit = disk.used()
        with pytest.raises(DiskFullError):
            await log.flush()
        log.release(0, tokens(1, 1))
        disk.limit = 1 << 40
        assert await log.flush() == [key(0), key(1)]
        later = disk.after_power_loss()
    async with opened(later) as log:
        assert list(log.owed(0)) == [2]
        assert log.checkpoint(0) == 0


async def test_a_release_during_a_flush_is_durable_by_the_next_one(disk):
    async with opened(disk) as log:
        await log.append(records(0, 2))
        log.release(0, tokens(0, 1))
        first = log.next_flush
        flush = asyncio.create_task(log.flush())
        await asyncio.sleep(0)
        log.release(0, tokens(1, 1))
        second = log.next_flush
        await flush
        assert first <= log.flushed < second
        await log.flush()
        assert second <= log.flushed


async def test_a_flush_that_failed_is_not_done(disk):
    async with opened(disk) as log:
        await log.append(records(0, 1))
        log.release(0, tokens(0, 1))
        number = log.next_flush
        disk.limit = disk.used()
        with pytest.raises(DiskFullError):
            await log.flush()
        assert log.flushed < number
        disk.limit = 1 << 40
        await log.flush()
        assert log.flushed >= number


async def test_a_release_during_a_flush_that_fails_is_not_forgotten(disk):
    async with opened(disk) as log:
        await log.append(records(0, 3))
        log.release(0, tokens(0, 1))
        log.advance(0, 0)
        disk.limit = disk.used()
        flush = asyncio.create_task(log.flush())
        await asyncio.sleep(0)
        log.release(0, tokens(1, 1))
        log.advance(0, 1)
        with pytest.raises(DiskFullError):
            await flush
        disk.limit = 1 << 40
        assert await log.flush() == [key(0), key(1)]
        later = disk.after_power_loss()
    async with opened(later) as log:
        assert list(log.owed(0)) == [2]
        assert log.checkpoint(0) == 1


@pytest.mark.parametrize("work", ["append", "flush"])
async def test_a_failed_sync_is_final(disk, work):
    log = FeedLog.open(disk, SETTINGS)
    await log.add_peer("a")
    await log.append(records(0, 1))
    log.release(0, tokens(0, 1))
    for _ in range(2):
        disk.sync_errors = 1
        with pytest.raises(StoreFailedError, match="restart after checking"):
            await (log.append(records(1, 1)) if work == "append" else log.flush())
    await end(log)


async def test_a_cancelled_caller_leaves_its_articles_logged(disk):
    async with opened(disk) as log:
        task = asyncio.create_task(log.append(records(0, 3)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert await log.append(records(3, 1)) == 3
        assert replayed(log) == tokens(0, 4)


async def test_a_damaged_record_costs_itself_and_is_named(disk):
    async with opened(disk) as log:
        await log.append(records(0, 5))
    data = disk.contents("log/0000000000.log")
    place = data.index(b"<2@")
    data[place] ^= 0x40
    async with opened(disk) as log:
        assert replayed(log) == [*tokens(0, 2), *tokens(3, 2)]
        (damage,) = log.damage
        assert damage.startswith("log/0000000000.log: ")
        assert log.release(0, tokens(0, 5)) == [*tokens(0, 2), *tokens(3, 2)]


async def test_a_hole_of_zeros_costs_what_it_covers(disk):
    async with opened(disk) as log:
        await log.append(records(0, 100))
    data = disk.contents("log/0000000000.log")
    start, stop = data.index(b"<10@"), data.index(b"<20@")
    data[start:stop] = bytes(stop - start)
    async with opened(disk) as log:
        assert [t.seq for t in replayed(log)] == [*range(10), *range(21, 100)]
        assert len(log.damage) == 1


async def test_a_damaged_release_leaves_its_article_owed(disk):
    async with opened(disk) as log:
        await log.append(records(0, 5))
        for n in range(3):
            log.release(0, tokens(n, 1))
            await log.flush()
    journal = disk.contents("ownership/0000000000.journal")
    journal[-30] ^= 1
    async with opened(disk) as log:
        assert list(log.owed(0)) in ([1, 3, 4], [2, 3, 4])
        assert len(log.damage) == 1


async def test_a_torn_tail_is_cut_and_no_damage(disk):
    async with opened(disk) as log:
        await log.append(records(0, 5))
        later = disk.after_power_loss()
    later.open("log/0000000000.log").append([later.contents("log/0000000000.log")[-50:-10]])
    later.settle()
    for _ in range(2):
        async with opened(later) as log:
            assert replayed(log) == tokens(0, 5)
            assert log.damage == []


async def test_bits_without_the_peers_numbers_are_refused(disk):
    async with opened(disk) as log:
        await log.append(records(0, 1))
    disk.unlink("peers.json")
    with pytest.raises(FormatError, match=r"peers\.json is missing"):
        FeedLog.open(disk, SETTINGS)


async def test_bits_of_numbers_that_no_peer_has_are_cleared_for_good(disk):
    async with opened(disk, peers=("a", "b")) as log:
        await log.append([record(n, 0b11) for n in range(3)])
        async for _ in log.remove_peer("b"):
            pass
    del disk.contents("ownership/0000000000.journal")[24:]
    async with opened(disk, peers=("a", "c")) as log:
        assert log.count_owed(1) == 0
        later = disk.after_power_loss()
    async with opened(later, peers=()) as log:
        assert log.count_owed(1) == 0
        assert log.count_owed(0) == 3
