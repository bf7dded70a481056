"""Segments are replaced all at once or not at all, whatever happens beside it or to whoever does it."""

from collections.abc import Iterator

import pytest
from redis import Redis

from compacting import KINDS, Choice, Compaction, KilledError, MortalClient, compact, stage
from eventually import eventually
from forebay.spill import Kind, SpillFullError, SpillUnavailableError, Spool, SpoolSettings, TlsFiles, staging
from forebay.spill.compaction import Compactor
from integration.spill.conftest import QUICK, connect, contents, drain
from peers.valkey import Cluster, Valkey, run_cluster, run_sentinels, run_small_valkey, run_valkey

BACKLOG = [[b"b", b"c"], [b"a", b"b"], [b"c", b"d"], [b"open"]]
DEFERRED = [[b"y", b"x"], [b"x"], [b"open too"]]
BEFORE = {Kind.BACKLOG: [b"b", b"c", b"a", b"b", b"c", b"d", b"open"], Kind.DEFERRED: [b"y", b"x", b"x", b"open too"]}
OCTETS = len(b"".join(map(b"".join, BEFORE.values())))
AFTER = {Kind.BACKLOG: [b"a", b"b", b"c", b"d", b"open"], Kind.DEFERRED: [b"x", b"y", b"open too"]}
EACH_ITS_OWN = SpoolSettings(rotate_bytes=1, rotate_age=0)
"""Each append begins a segment."""


async def fill(spool: Spool) -> Spool:
    """Three closed segments of the backlog, two of what is deferred, and an open one of each."""
    spool.settings = EACH_ITS_OWN
    if not spool.tenure.run_id:
        await spool.load()
    for kind, segments in zip(KINDS, (BACKLOG, DEFERRED), strict=True):
        for entries in segments:
            await spool.append(kind, entries)
    return spool


@pytest.fixture
async def filled(spool: Spool) -> Spool:
    return await fill(spool)


@pytest.fixture
def compactor(valkey: Valkey) -> Iterator[Compactor]:
    with Compactor.connect(valkey.url, "outfeed", "uid") as made:
        yield made


async def held(url: str) -> dict[Kind, list[bytes]]:
    """Backlog and deferred, as whoever takes the owner over finds them."""
    async with connect(url) as spill:
        spool = spill.spool("peer")
        await spool.load()
        found = await contents(spool)
        state = spool.state
        for kind, depth in zip(KINDS, (state.backlog, state.deferred), strict=True):
            assert (depth.entries, depth.bytes) == (len(found[kind]), sum(map(len, found[kind])))
        await spool.release()
        return {kind: found[kind] for kind in KINDS}


async def test_inputs_give_way_to_outputs_ahead_of_what_is_open(filled, compactor, valkey):
    commit = compact(compactor, "peer")
    assert commit.done
    await filled.release()
    assert await held(valkey.url) == AFTER


async def test_the_plan_has_closed_segments_only(filled, compactor):
    await filled.promote(0)
    plan = compactor.plan("peer")
    assert [(item.kind, item.segment, item.entries, item.bytes) for item in plan.inputs] == [
        (Kind.BACKLOG, 2, 2, 2),
        (Kind.BACKLOG, 3, 2, 2),
        (Kind.DEFERRED, 5, 2, 2),
        (Kind.DEFERRED, 6, 1, 1),
    ]
    assert plan.generation == filled.state.generation
    first, last = [entry.id for entry in compactor.read(plan.inputs[0].stream, None, 10)]
    assert (plan.inputs[0].first, plan.inputs[0].last) == (first, last)


async def test_a_part_of_a_stream_can_be_read(filled, compactor):
    stream = compactor.plan("peer").inputs[0].stream
    first, last = compactor.read(stream, None, 10)
    assert compactor.read(stream, first.id, 10) == [last]
    assert compactor.read(stream, None, 10, until=first.id) == compactor.read(stream, None, 1) == [first]


async def test_nobody_has_nothing_to_compact(compactor):
    assert compactor.owners() == []
    assert compactor.plan("nobody").inputs == ()
    assert compact(compactor, "nobody").done


async def test_owners_are_those_of_the_registry(filled, compactor):
    assert compactor.owners() == ["peer"]


async def test_temporaries_become_permanent_and_nothing_else_is_left(filled, compactor, valkey):
    compaction = stage(compactor, "peer")
    ages = [await valkey.command("PTTL", output.stream) for output in compaction.outputs]
    assert all(0 < age <= staging.STAY * 1000 for age in ages)
    compactor.commit(*compaction)
    await filled.release()
    names = {name.decode().rpartition("}:")[2] for name in await valkey.command("KEYS", "forebay:{outfeed/uid/*")}
    # Backlog 8, deferred 9, dropped 10 and 11.
    assert names - {"fence"} == {"meta", "B:4", "D:7", "B:8", "D:9", "L:10", "L:11"}
    for name in names - {"fence"}:
        assert await valkey.command("PTTL", f"forebay:{{outfeed/uid/peer}}:{name}") == -1


async def test_a_deferred_output_rests_as_long_as_its_newest_input(filled, compactor):
    opened = {kind: [item.opened for item in compactor.plan("peer").of(kind)] for kind in KINDS}
    compact(compactor, "peer")
    ledger = compactor.plan("peer")
    assert [item.opened for item in ledger.of(Kind.DEFERRED)] == [max(opened[Kind.DEFERRED])]
    assert [item.opened for item in ledger.of(Kind.BACKLOG)] == [min(opened[Kind.BACKLOG])]


async def test_entries_keep_the_time_when_they_were_appended(filled, compactor):
    before = {
        entry.data: entry.id.split(b"-")[0]
        for item in reversed(compactor.plan("peer").inputs)
        for entry in reversed(compactor.read(item.stream, None, 10))
    }
    compact(compactor, "peer", lambda entries: Choice(entries))
    for item in compactor.plan("peer").inputs:
        for entry in compactor.read(item.stream, None, 10):
            assert entry.id.split(b"-")[0] >= before[entry.data]


async def test_ids_only_rise_whatever_the_times(filled, compactor):
    plan = compactor.plan("peer")
    times = [5, 3, 0, 7, 7, 6]
    rows = [(time, b"%d" % number) for number, time in enumerate(times)]
    (output,) = compactor.stage(plan, Kind.BACKLOG, rows, 1000)
    ids = [entry.id for entry in compactor.read(output.stream, None, 10)]
    assert ids == [b"5-0", b"5-1", b"5-2", b"7-0", b"7-1", b"7-2"]
    (output,) = compactor.stage(plan, Kind.BACKLOG, [(0, b"x")], 1000)
    assert output.last == b"0-1"


async def test_outputs_are_closed_when_they_are_full(filled, compactor):
    rows = [(number, b"%03d" % number) for number in range(10)]
    outputs = compactor.stage(compactor.plan("peer"), Kind.BACKLOG, rows, 9)
    assert [(output.entries, output.bytes) for output in outputs] == [(3, 9), (3, 9), (3, 9), (1, 3)]
    found = [entry.data for output in outputs for entry in compactor.read(output.stream, None, 10)]
    assert found == [data for _, data in rows]


async def test_many_entries_make_many_batches(filled, compactor):
    rows = [(number, b"%08d" % number) for number in range(5000)]
    outputs = compactor.stage(compactor.plan("peer"), Kind.BACKLOG, rows, 1_000_000)
    assert [(output.entries, output.bytes) for output in outputs] == [(5000, 40000)]


async def test_everything_may_go(filled, compactor, valkey):
    compact(compactor, "peer", lambda entries: Choice([], expired=entries))
    await filled.release()
    assert await held(valkey.url) == {Kind.BACKLOG: [b"open"], Kind.DEFERRED: [b"open too"]}


async def test_what_is_drained_afterwards_is_in_order(filled, compactor):
    compact(compactor, "peer")
    assert await drain(filled) == AFTER[Kind.BACKLOG] + AFTER[Kind.DEFERRED]


async def test_it_may_be_compacted_again(filled, compactor, valkey):
    compact(compactor, "peer", rotate_bytes=2)
    compact(compactor, "peer")
    await filled.release()
    assert await held(valkey.url) == AFTER


# What happens beside it


async def test_an_input_that_was_promoted_ends_it(filled, compactor):
    compaction = stage(compactor, "peer")
    assert (await filled.promote(0)).done
    commit = compactor.commit(*compaction)
    assert not commit.done
    assert "segments of B were promoted" in commit.reason
    assert await drain(filled) == BEFORE[Kind.BACKLOG] + BEFORE[Kind.DEFERRED]


async def test_a_deferred_input_that_was_promoted_ends_it(spool, compactor):
    spool.settings = EACH_ITS_OWN
    for entries in DEFERRED:
        await spool.append(Kind.DEFERRED, entries)
    compaction = stage(compactor, "peer")
    assert (await spool.promote(0)).done
    assert not compactor.commit(*compaction).done


async def test_an_input_that_lost_entries_to_a_limit_ends_it(filled, compactor):
    compaction = stage(compactor, "peer")
    filled.settings = SpoolSettings(limit_bytes=OCTETS - 1)
    assert (await filled.enforce()).entries == [b"b"]
    commit = compactor.commit(*compaction)
    assert (commit.done, commit.reason) == (False, "segment 1 was changed meanwhile")


async def test_an_input_that_a_limit_emptied_ends_it(filled, compactor):
    compaction = stage(compactor, "peer")
    filled.settings = SpoolSettings(limit_bytes=OCTETS - 2)
    assert (await filled.enforce()).entries == [b"b", b"c"]
    assert not compactor.commit(*compaction).done


async def test_what_was_appended_meanwhile_stays_behind_the_outputs(filled, compactor):
    compaction = stage(compactor, "peer")
    await filled.append(Kind.BACKLOG, [b"0 new"])
    await filled.append(Kind.DEFERRED, [b"0 new too"])
    assert compactor.commit(*compaction).done
    await filled.append(Kind.BACKLOG, [b"00 newer"])
    assert await drain(filled) == [*AFTER[Kind.BACKLOG], b"0 new", b"00 newer", *AFTER[Kind.DEFERRED], b"0 new too"]


async def test_a_peer_goes_on_draining_its_r(filled, compactor):
    await filled.promote(0)
    first, *_ = await filled.read(1)
    assert compact(compactor, "peer").done
    filled.ack([first.id])
    assert first.data == b"b"
    assert await drain(filled) == [b"c", b"a", b"b", b"c", b"d", b"open", *AFTER[Kind.DEFERRED]]


async def test_what_is_put_off_meanwhile_goes_behind_the_outputs(filled, compactor):
    await filled.promote(0)
    (first, second) = await filled.read(2)
    compaction = stage(compactor, "peer")
    await filled.defer([(first.id, b"0 again")])
    assert compactor.commit(*compaction).done
    await filled.defer([(second.id, b"00 again")])
    found = await contents(filled)
    assert found[Kind.DEFERRED] == [*AFTER[Kind.DEFERRED], b"0 again", b"00 again"]


async def test_who_looks_at_all_entries_misses_none(filled, compactor):
    seen = []
    async for entries in filled.iterate(count=1):
        if len(seen) == 2:
            assert compact(compactor, "peer", lambda entries: Choice(entries)).done
        seen += [entry.data for entry in entries.entries]
    assert set(seen) == {*BEFORE[Kind.BACKLOG], *BEFORE[Kind.DEFERRED]}
    assert seen[2:] != BEFORE[Kind.BACKLOG][2:]


async def test_a_limit_that_a_compaction_has_met_drops_nothing(filled, compactor):
    await filled.promote(0)
    filled.settings = SpoolSettings(limit_bytes=OCTETS - 1)
    compact(compactor, "peer")
    assert await filled.enforce() is None
    assert await filled.enforce() is None
    assert await drain(filled) == [*BEFORE[Kind.BACKLOG], *AFTER[Kind.DEFERRED]]


async def test_of_two_jobs_one_wins(filled, compactor, valkey):
    with Compactor.connect(valkey.url, "outfeed", "uid") as other:
        first, second = stage(compactor, "peer"), stage(other, "peer")
        assert compactor.commit(*first).done
        commit = other.commit(*second)
        assert not commit.done
        other.abandon([*second.outputs, *second.dropped])
    await filled.release()
    assert await held(valkey.url) == AFTER
    assert not await valkey.command("KEYS", "*:C:*")


async def test_an_output_that_has_expired_ends_it(filled, compactor, valkey):
    compaction = stage(compactor, "peer")
    compactor.abandon(compaction.outputs[:1])
    commit = compactor.commit(*compaction)
    assert (commit.done, commit.reason) == (False, "what was written aside has expired")
    await filled.release()
    assert await held(valkey.url) == BEFORE


async def test_a_list_of_what_was_dropped_that_has_expired_ends_it(filled, compactor):
    compaction = stage(compactor, "peer")
    compactor.abandon(compaction.dropped)
    assert not compactor.commit(*compaction).done


async def test_temporaries_expire_unless_they_are_refreshed(filled, compactor, valkey, monkeypatch):
    monkeypatch.setattr(staging, "STAY", 0.05)
    compaction = stage(compactor, "peer")
    monkeypatch.undo()
    compactor.refresh(compaction.dropped)
    await eventually(lambda: gone(valkey, [output.stream for output in compaction.outputs]))
    assert not await gone(valkey, [output.stream for output in compaction.dropped])
    assert not compactor.commit(*compaction).done


async def gone(valkey: Valkey, streams: list[str]) -> bool:
    return await valkey.command("EXISTS", *streams) == 0


async def test_a_stream_that_expires_while_it_is_written_is_begun_anew(filled, compactor, valkey):
    plan = compactor.plan("peer")

    def rows():
        yield from ((1, b"%d" % number) for number in range(1001))
        (name,) = compactor._client.run("KEYS", "*:C:*")
        compactor._client.run("UNLINK", name)
        yield 1, b"too late"

    with pytest.raises(SpillUnavailableError, match="has expired"):
        compactor.stage(plan, Kind.BACKLOG, rows(), 1_000_000)


async def test_an_owner_that_was_purged_and_made_anew_is_left_alone(filled, compactor, valkey):
    compaction = stage(compactor, "peer")
    await filled.purge()
    assert not compactor.commit(*compaction).done
    await fill(filled)
    assert not compactor.commit(*compaction).done
    await filled.release()
    assert await held(valkey.url) == BEFORE


async def test_a_purge_takes_what_a_compaction_has_left(filled, compactor, valkey):
    compaction = stage(compactor, "peer")
    compactor.commit(*compaction)
    await filled.purge()
    assert await valkey.command("DBSIZE") == 0


async def test_a_failed_job_leaves_no_temporaries(filled, compactor, valkey):
    def rows():
        yield from ((1, b"%d" % number) for number in range(1500))
        raise LookupError

    with pytest.raises(LookupError):
        compactor.stage(compactor.plan("peer"), Kind.BACKLOG, rows(), 1000)
    assert not await valkey.command("KEYS", "*:C:*")


async def test_a_full_redis_ends_it_and_keeps_what_there_is():
    async with run_small_valkey("4mb") as valkey, connect(valkey.url) as spill:
        spool = await fill(spill.spool("peer"))
        with Compactor.connect(valkey.url, "outfeed", "uid") as compactor:
            with pytest.raises(SpillFullError):
                compactor.stage(compactor.plan("peer"), Kind.BACKLOG, [(1, bytes(10_000))] * 1000, 1_000_000)
            assert not await valkey.command("KEYS", "*:C:*")
        assert await drain(spool) == BEFORE[Kind.BACKLOG] + BEFORE[Kind.DEFERRED]


async def test_a_redis_that_is_away_is_told(filled, compactor, valkey):
    await valkey.kill()
    with pytest.raises(SpillUnavailableError):
        compactor.plan("peer")


# What happens to whoever does it


@pytest.mark.parametrize("late", [False, True])
async def test_killed_at_any_point_it_leaves_all_inputs_or_all_outputs(valkey, late):
    lives, finished = 0, False
    while not finished:
        await valkey.command("FLUSHALL")
        async with connect(valkey.url) as spill:
            spool = await fill(spill.spool("peer"))
            await spool.release()
        client = MortalClient(valkey.url, TlsFiles())
        client.lives, client.late = lives, late
        try:
            finished = compact(Compactor(client, "outfeed", "uid"), "peer").done
        except KilledError:
            client.close()
        assert await held(valkey.url) in (BEFORE, AFTER)
        lives += 1
    assert await held(valkey.url) == AFTER
    assert lives > 20


async def test_a_repeated_commit_is_one(filled, compactor, valkey):
    """The answer to the first was lost; the client asks again by itself."""
    run = compactor._client.run
    answers = []

    def twice(*command):
        first = run(*command)
        if command[0] == "EVAL" and '"inputs"' in str(command[-1]):
            answers.extend([first, run(*command)])
        return first

    compactor._client.run = twice
    assert compact(compactor, "peer").done
    assert answers[0] == answers[1]
    await filled.release()
    assert await held(valkey.url) == AFTER


async def test_a_repeated_batch_is_written_once(filled, compactor):
    ask = compactor._client.ask
    compactor._client.ask = lambda *command: [ask(*command), ask(*command)][1]
    (output,) = compactor.stage(compactor.plan("peer"), Kind.BACKLOG, [(1, b"a"), (1, b"b")], 100)
    assert [entry.data for entry in compactor.read(output.stream, None, 10)] == [b"a", b"b"]


async def test_batches_under_way_outlive_their_connection(filled, compactor, valkey):
    """Whichever of them were carried out, each is written once, and in order."""

    def rows() -> Iterator[tuple[int, bytes]]:
        with Redis(port=valkey.port) as other:
            for number in range(30_000):
                if number % 4500 == 0:
                    other.execute_command("CLIENT", "KILL", "TYPE", "NORMAL")
                yield number, b"%08d" % number

    outputs = compactor.stage(compactor.plan("peer"), Kind.BACKLOG, rows(), 100_000)
    found = [data for output in outputs for batch in compactor.batches(output.stream, 1000) for data in batch.entries]
    assert found == [b"%08d" % number for number in range(30_000)]
    dropped = compactor.stage_dropped(compactor.plan("peer"), Kind.BACKLOG, "duplicate", (data for _, data in rows()))
    client = compactor._client
    found = [data for _, fields in client.run("XRANGE", dropped[0].stream, "-", "+") for data in fields[1::2]]
    assert found == [b"%08d" % number for number in range(30_000)]


def synced(compactor: Compactor) -> None:
    """Wait until all is on disk that was written up to the last thing that this job wrote."""
    assert compactor._client.run("WAITAOF", 1, 0, 10_000)[0] == 1


async def test_redis_that_is_killed_between_writing_aside_and_commit_is_compacted_all_the_same(valkey, compactor):
    async with connect(valkey.url) as spill:
        await (await fill(spill.spool("peer"))).release()
    compaction = stage(compactor, "peer")
    synced(compactor)
    await valkey.kill()
    with pytest.raises(SpillUnavailableError):
        compactor.commit(*compaction)
    await valkey.start()
    assert compactor.commit(*compaction).done
    assert await held(valkey.url) == AFTER


async def test_redis_that_lost_what_was_written_aside_refuses(valkey, compactor):
    async with connect(valkey.url) as spill:
        spool = await fill(spill.spool("peer"))
        await (await spool.checkpoint()).wait()
    before = valkey.log_size()
    compaction = stage(compactor, "peer")
    synced(compactor)
    await valkey.kill()
    valkey.cut_log((valkey.log_size() - before) // 2)
    await valkey.start()
    assert not compactor.commit(*compaction).done
    assert await held(valkey.url) == BEFORE


async def test_redis_that_loses_its_tail_has_all_inputs_or_all_outputs(scale):
    for cut in range(1, 4000, 600 // scale):
        async with run_valkey() as valkey:
            async with connect(valkey.url) as spill:
                await (await fill(spill.spool("peer"))).release()
            with Compactor.connect(valkey.url, "outfeed", "uid") as compactor:
                assert compact(compactor, "peer").done
            await valkey.kill()
            valkey.cut_log(cut)
            await valkey.start()
            found = await held(valkey.url)
            assert found in (BEFORE, AFTER) or is_beginning(found)


def is_beginning(found: dict[Kind, list[bytes]]) -> bool:
    """Whether even appends were cut off, but for the first ones."""
    return all(BEFORE[kind][: len(found[kind])] == found[kind] for kind in KINDS)


async def test_redis_that_lost_what_was_planned_with_keeps_what_came_later(valkey, compactor):
    """A segment of the same number, time, entries and octets is another one when its last entry is."""
    async with connect(valkey.url) as spill:
        spool = await fill(spill.spool("peer"))
        compaction = stage(compactor, "peer")
        stream = compaction.plan.inputs[0].stream
        last = compaction.plan.inputs[0].last
        await valkey.command("XDEL", stream, last)
        await valkey.command("XADD", stream, "*", "e", b"z")
        assert not compactor.commit(*compaction).done
        assert (await contents(spool))[Kind.BACKLOG][:2] == [b"b", b"z"]


# Where it happens


@pytest.fixture
async def cluster():
    async with run_cluster() as nodes:
        yield nodes


async def test_owners_of_a_cluster_are_compacted_each_where_it_is(cluster: Cluster):
    owners = [f"peer {number}" for number in range(9)]
    async with connect(cluster.url) as spill:
        spools = [await fill(spill.spool(owner, QUICK)) for owner in owners]
        with Compactor.connect(cluster.url, "outfeed", "uid") as compactor:
            assert compactor.owners() == owners
            assert all(compact(compactor, owner).done for owner in owners)
        for spool in spools:
            assert await drain(spool) == AFTER[Kind.BACKLOG] + AFTER[Kind.DEFERRED]


async def test_a_slot_that_moves_between_plan_and_commit_is_followed(cluster: Cluster):
    async with connect(cluster.url) as spill:
        spool = await fill(spill.spool("peer"))
        slot = spool.tenure.keys.slot
        await spool.release()
    with Compactor.connect(cluster.url, "outfeed", "uid") as compactor:
        compaction = stage(compactor, "peer")
        source = await cluster.owner(slot)
        await cluster.move_slot(slot, next(node for node in cluster.masters if node is not source))
        assert compactor.commit(*compaction).done
    assert await held(cluster.url) == AFTER


async def test_the_master_that_sentinels_name_is_used():
    async with run_sentinels() as servers, connect(servers.url) as spill:
        spool = await fill(spill.spool("peer"))
        with Compactor.connect(servers.url, "outfeed", "uid") as compactor:
            assert compact(compactor, "peer").done
        assert await drain(spool) == AFTER[Kind.BACKLOG] + AFTER[Kind.DEFERRED]


COMMANDS = "smembers hgetall hget hmget hset hdel hincrby xrange xrevrange xlen xadd pexpire persist rename unlink eval"


async def test_an_acl_user_needs_these_commands_on_our_keys_only(filled, valkey):
    allowed = [f"+{command}" for command in COMMANDS.split()]
    await valkey.command("ACL", "SETUSER", "job", "on", ">p@ss", "resetkeys", "~forebay:*", "-@all", *allowed)
    with Compactor.connect(valkey.url.replace("//", "//job:p%40ss@"), "outfeed", "uid") as compactor:
        compaction: Compaction = stage(compactor, "peer")
        compactor.refresh(compaction.outputs)
        assert compactor.commit(*compaction).done
