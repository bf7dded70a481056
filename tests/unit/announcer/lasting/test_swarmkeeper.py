"""Swarms outlive the process by snapshots."""

import asyncio
import random
import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from eventually import eventually
from fakeclock import FakeClock
from forebay.announcer.announce import Event
from forebay.announcer.lasting.snapshotfile import DAMAGED, FRESH, NAME, SnapshotReader, SnapshotWriter
from forebay.announcer.lasting.swarmkeeper import SwarmKeeper
from forebay.announcer.swarms.snapshot import HEAD, pack_block, pack_swarm
from powerloss import PowerLoss, PowerLossDisk
from swarms import V6, announce, octets, swarm_table


class Site:
    """Tables that follow each other on one machine."""

    def __init__(self, folder, **limits):
        self.folder = folder
        self.clock = FakeClock()
        self.limits = limits

    @property
    def file(self):
        return self.folder / NAME

    def keeper(self, table, interval=60.0):
        return SwarmKeeper(table, self.folder, interval, self.clock)

    def announced(self, table, *args, **fields):
        table.announce(announce(*args, **fields), self.clock.monotonic())

    async def save(self, table):
        saving = asyncio.create_task(self.keeper(table).save())
        await eventually(lambda: self.clock.advance(0) or saving.done(), every=0)
        await saving

    def restart(self, monotonic=5.0, away=0.0):
        """The table after the machine was started anew, whose clock begins somewhere else."""
        self.clock = FakeClock(monotonic, self.clock.wall() + away)
        table = swarm_table(**self.limits)
        self.peers = self.keeper(table).load()
        return table


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def content(table):
    """All that is in a table but times."""
    found = {}
    for info_hash, swarm in table:
        record = swarm.record()
        lineups = [
            (sorted(lineup.clients[: lineup.seeders]), sorted(lineup.clients), lineup.paused, len(lineup.octets))
            for lineup in record.lineups
        ]
        found[info_hash] = swarm.figures(), lineups
    return found


def fill(site, table):
    for host in range(30):
        site.announced(table, host, "one", left=host % 3)
        site.announced(table, host, "two", family=V6, left=5, key=b"key")
    site.announced(table, 50, "one", left=7, event=Event.PAUSED)
    site.announced(table, 1, "one", left=0, event=Event.COMPLETED)


async def test_all_of_a_swarm_is_there_again(site):
    table = swarm_table()
    fill(site, table)
    await site.save(table)
    back = site.restart()
    assert content(back) == content(table)
    assert (site.peers, back.peers) == (61, 61)


async def test_a_swarm_that_was_brought_back_goes_on_as_before(site):
    table = swarm_table()
    fill(site, table)
    await site.save(table)
    back = site.restart()
    for other in (table, back):
        site.announced(other, 1, "one", event=Event.STOPPED, port=0)
        site.announced(other, 50, "one", left=0, event=Event.COMPLETED)
        site.announced(other, 2, "two", family=V6, key=b"key", port=7000)
        site.announced(other, 99, "one")
    assert content(back) == content(table)
    assert back.peers == table.peers


async def test_without_a_snapshot_there_is_nothing(site):
    assert content(site.restart()) == {}
    assert site.peers == 0


async def test_nobody_is_kept_as_nobody(site):
    await site.save(swarm_table())
    assert content(site.restart()) == {}
    assert not (site.folder / DAMAGED).exists()


async def test_ages_go_on_by_the_wall_clock(site):
    site.limits = {"peer_age": 100.0}
    table = swarm_table(peer_age=100.0)
    site.announced(table, 1)
    site.clock.advance(50)
    site.announced(table, 2)
    await site.save(table)
    back = site.restart(away=60.0)
    assert site.peers == 1
    (record,) = [swarm.record() for _, swarm in back]
    assert record.lineups[0].seen[0] == pytest.approx(site.clock.monotonic() - 60.0)


async def test_those_that_are_too_old_are_left_out_and_seeders_stay_seeders(site):
    site.limits = {"peer_age": 100.0}
    table = swarm_table(peer_age=100.0)
    for host in range(10):
        site.announced(table, host, left=host % 2)
        site.clock.advance(10)
    await site.save(table)
    back = site.restart(away=45.0)
    assert back.figures(octets("torrent"))[::2] == (2, 3)


async def test_peers_of_the_future_are_as_new_as_now(site):
    table = swarm_table()
    site.announced(table, 1)
    await site.save(table)
    back = site.restart(away=-86_400.0)
    (record,) = [swarm.record() for _, swarm in back]
    assert record.lineups[0].seen[0] == site.clock.monotonic()


async def test_limits_hold(site):
    table = swarm_table()
    for torrent in "abc":
        for host in range(4):
            site.announced(table, host, torrent)
    await site.save(table)
    site.limits = {"most_peers": 9}
    assert site.restart().peers == 8
    site.limits = {"most_swarms": 1}
    assert len(site.restart()) == 1


async def test_a_swarm_that_is_announced_already_is_left_alone(site):
    table = swarm_table()
    fill(site, table)
    await site.save(table)
    other = swarm_table()
    site.announced(other, 77, "one")
    assert site.keeper(other).load() == 30
    assert other.figures(octets("one")).incomplete == 1


def many(site, table, swarms=300):
    for number in range(swarms):
        for host in range(40):
            site.announced(table, host, f"t{number}")


async def damaged(site, change):
    table = swarm_table()
    many(site, table)
    await site.save(table)
    whole = bytearray(site.file.read_bytes())
    site.file.write_bytes(change(whole))
    return site.restart()


@pytest.mark.parametrize("place", [0, HEAD.size + 1000], ids=["head", "body"])
async def test_the_sound_part_of_a_damaged_file_is_served_and_it_is_set_aside(site, place, capsys):
    def flip(whole):
        whole[place] ^= 1
        return whole

    back = await damaged(site, flip)
    assert 0 < back.peers < 12_000
    assert (site.folder / DAMAGED).exists()
    assert not site.file.exists()
    assert str(site.folder / DAMAGED) in capsys.readouterr().out


@pytest.mark.parametrize("octets", [1, 30, 1000], ids=["last", "end", "some"])
async def test_a_file_that_ends_too_early(site, octets):
    back = await damaged(site, lambda whole: whole[:-octets])
    assert back.peers > 0
    assert (site.folder / DAMAGED).exists()


async def test_a_length_that_is_damaged_hides_only_its_block(site):
    def lengthen(whole):
        whole[8:12] = b"\xff\xff\xff\x7f"
        return whole

    assert (await damaged(site, lengthen)).peers > 0


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 5000, b"nonsense", b"FBsw" * 100], ids=["empty", "zeros", "text", "heads"]
)
async def test_what_is_no_snapshot_is_set_aside(site, content):
    site.file.write_bytes(content)
    assert len(site.restart()) == 0
    assert (site.folder / DAMAGED).exists()


def test_a_sound_block_that_makes_no_sense_is_passed_over(site):
    table = swarm_table()
    site.announced(table, 1)
    swarm = pack_swarm(octets("torrent"), table.record(octets("torrent")))
    blocks = [pack_block(swarm[:30], 0.0), pack_block(swarm, site.clock.wall() - site.clock.monotonic())]
    site.file.write_bytes(b"".join([*blocks, pack_block(b"", 0.0)]))
    assert site.restart().peers == 1
    assert (site.folder / DAMAGED).exists()


@pytest.mark.parametrize("counts", [(1, 0xFFFFFFFF), (0xFFFFFFFF, 0)], ids=["paused", "peers"])
def test_numbers_that_make_no_sense_cost_nothing(site, counts):
    peers, paused = counts
    swarm = octets("torrent") + struct.pack("<IIIII", 0, peers, 0, 0, paused) + bytes(100)
    site.file.write_bytes(pack_block(swarm, 0.0) + pack_block(b"", 0.0))
    assert len(site.restart()) == 0
    assert (site.folder / DAMAGED).exists()


@given(some.binary(max_size=300))
def test_no_octets_do_harm(content):
    disk = PowerLossDisk()
    file = disk.create(NAME)
    file.append([pack_block(content, 0.0)])
    list(SnapshotReader(disk, 1000.0, 1000.0).swarms())


async def test_a_snapshot_each_interval(site):
    table = swarm_table()
    keeper = site.keeper(table, interval=60.0)
    running = asyncio.create_task(keeper.run())
    site.announced(table, 1)
    await site.clock.run(59.9)
    assert not site.file.exists()
    await eventually(lambda: site.clock.advance(0.1) or site.file.exists())
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert site.restart().peers == 1


async def test_swarms_that_come_and_go_while_it_is_written(site):
    table = swarm_table()
    many(site, table)
    keeper = site.keeper(table)
    saving = asyncio.create_task(keeper.save())
    await asyncio.sleep(0)
    for number in range(100, 300):
        for host in range(40):
            site.announced(table, host, f"t{number}", event=Event.STOPPED)
    site.clock.advance(11_000)
    for _ in range(100):
        table.expire(site.clock.monotonic())
    site.announced(table, 1, "new")
    await eventually(lambda: site.clock.advance(0) or saving.done(), every=0)
    site.restart()
    assert not (site.folder / DAMAGED).exists()


async def test_a_disk_that_fails_is_told_and_the_last_snapshot_stays(site):
    table = swarm_table()
    site.announced(table, 1)
    keeper = site.keeper(table)
    await site.save(table)
    (site.folder / FRESH).mkdir()
    await keeper.save()
    assert "no snapshot of swarms could be written" in keeper.problem
    (site.folder / FRESH).rmdir()
    assert site.restart().peers == 1
    await keeper.save()
    assert keeper.problem == ""


def snapshot(disk, peers):
    table = swarm_table()
    for host in range(peers):
        table.announce(announce(host), 1000.0)
    writer = SnapshotWriter(disk)
    writer.write(pack_block(pack_swarm(octets("torrent"), table.record(octets("torrent"))), 0.0))
    writer.finish()


def peers(disk):
    return sum(record.peers for _, record in SnapshotReader(disk, 1000.0, 1000.0).swarms())


@pytest.mark.parametrize("seed", range(5))
def test_a_power_loss_at_any_operation_leaves_the_old_or_the_new_one(seed):
    crash, found = 1, set()
    while True:
        disk = PowerLossDisk()
        snapshot(disk, 3)
        disk.crash_at = disk.operations + crash
        with suppress(PowerLoss):
            snapshot(disk, 5)
            break
        after = disk.after_power_loss(random.Random(seed))
        found.add(peers(after))
        snapshot(after, 7)
        assert peers(after) == 7
        crash += 1
    assert found <= {3, 5}
    assert crash > 5
