"""What a compaction has dropped is told to the owner's service, until that has forgotten it."""

import pytest

from compacting import Choice, compact
from eventually import eventually
from forebay.spill import Dropped, Kind, Spool, SpoolSettings
from forebay.spill.compaction import Compactor
from integration.spill.conftest import connect
from peers.valkey import Valkey

TOLD = [
    Dropped("duplicate", [b"b", b"b"], Kind.BACKLOG),
    Dropped("limit-age", [b"0"], Kind.BACKLOG),
    Dropped("duplicate", [b"x"], Kind.DEFERRED),
]


async def filled(spill) -> Spool:
    spool = spill.spool("peer", SpoolSettings(rotate_bytes=1, rotate_age=0))
    await spool.load()
    for entries in ([b"b", b"0"], [b"b"], [b"b", b"c"], [b"open"]):
        await spool.append(Kind.BACKLOG, entries)
    for entries in ([b"x"], [b"x"], [b"open too"]):
        await spool.append(Kind.DEFERRED, entries)
    return spool


def choose(entries):
    """Drop what is 0, and repeats."""
    kept = {entry.data: entry for entry in reversed(entries) if entry.data != b"0"}
    repeats = [entry for entry in entries if entry.data in kept and entry is not kept[entry.data]]
    return Choice(
        sorted(kept.values(), key=lambda entry: entry.data), repeats, [entry for entry in entries if entry.data == b"0"]
    )


@pytest.fixture
def compacted(valkey: Valkey):
    """Compact the owner."""

    def run(choose=choose) -> None:
        with Compactor.connect(valkey.url, "outfeed", "uid") as compactor:
            assert compact(compactor, "peer", choose).done

    return run


async def told(spool: Spool, count: int = 100) -> list[Dropped]:
    found = []
    while dropped := await spool.dropped(count):
        found.append(dropped)
    return found


async def test_a_spool_notices_a_compaction_by_itself(valkey, compacted):
    async with connect(valkey.url, lease_ttl=0.6) as spill:
        spool = await filled(spill)
        assert await told(spool) == []
        compacted()
        assert await eventually(lambda: told(spool)) == TOLD
        assert spool.state.backlog.entries == 3
        assert spool.state.deferred.entries == 2


async def test_what_was_told_is_not_told_again(valkey, compacted):
    async with connect(valkey.url) as spill:
        spool = await filled(spill)
        compacted()
        await spool.load()
        assert await told(spool, count=1) == [
            Dropped("duplicate", [b"b"], Kind.BACKLOG),
            Dropped("duplicate", [b"b"], Kind.BACKLOG),
            *TOLD[1:],
        ]
        assert await told(spool) == []


async def test_a_restarted_service_is_told_again_what_was_not_forgotten(valkey, compacted):
    async with connect(valkey.url) as spill:
        spool = await filled(spill)
        compacted()
        await spool.load()
        await spool.dropped(1)
        await spool.forget_dropped()
        await spool.release()
    async with connect(valkey.url) as spill:
        spool = spill.spool("peer")
        await spool.load()
        assert await told(spool) == TOLD
        await spool.forget_dropped()
        await spool.release()
    async with connect(valkey.url) as spill:
        spool = spill.spool("peer")
        await spool.load()
        assert await told(spool) == []
    assert not await valkey.command("KEYS", "*:L:*")


async def test_what_a_second_compaction_drops_comes_behind(valkey, compacted):
    async with connect(valkey.url) as spill:
        spool = await filled(spill)
        compacted()
        await spool.load()
        await spool.dropped(100)
        compacted(lambda entries: Choice([], expired=entries))
        await spool.load()
        assert await told(spool) == [
            *TOLD,
            Dropped("limit-age", [b"b", b"c"], Kind.BACKLOG),
            Dropped("limit-age", [b"x"], Kind.DEFERRED),
        ]


async def test_what_was_forgotten_while_more_was_dropped_is_gone_and_the_rest_stays(valkey, compacted):
    async with connect(valkey.url) as spill:
        spool = await filled(spill)
        compacted()
        await spool.load()
        assert await told(spool) == TOLD
        compacted(lambda entries: Choice([], expired=entries))
        await spool.forget_dropped()
        await spool.load()
        assert [dropped.reason for dropped in await told(spool)] == ["limit-age", "limit-age"]


async def test_a_lost_answer_to_forgetting_does_no_harm(valkey, compacted):
    async with connect(valkey.url) as spill:
        spool = await filled(spill)
        compacted()
        await spool.load()
        await told(spool)
        run, lost = spool._desk.run, []

        async def run_once(*commands, **options):
            replies = await run(*commands, **options)
            if not lost:
                lost.append(replies)
                raise ConnectionError
            return replies

        spool._desk.run = run_once
        with pytest.raises(ConnectionError):
            await spool.forget_dropped()
        await spool.forget_dropped()
        await spool.load()
        assert await told(spool) == []


async def test_a_promotion_tells_what_was_deferred_until_then(valkey, compacted):
    """Even when the list it is made from turns out to be an old one."""
    async with connect(valkey.url) as spill:
        spool = spill.spool("peer", SpoolSettings(rotate_bytes=1, rotate_age=0))
        await spool.load()
        for entries in ([b"x", b"y"], [b"x"], [b"open"]):
            await spool.append(Kind.DEFERRED, entries)
        compacted()
        promotion = await spool.promote(0)
        assert (promotion.done, promotion.recalled) == (True, 2)
        assert [entry.data for entry in await spool.read(10)] == [b"x", b"y"]


async def test_an_append_that_finds_its_list_out_of_date_opens_behind_the_outputs(valkey, compacted):
    async with connect(valkey.url) as spill:
        spool = await filled(spill)
        compacted()
        await spool.append(Kind.BACKLOG, [b"new"])
        assert spool.state.generation == Compactor.connect(valkey.url, "outfeed", "uid").plan("peer").generation
        assert spool.state.backlog.entries == 4
