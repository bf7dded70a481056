"""A real announcer is killed by `kill -9`, or stopped, and started again."""

import asyncio
from collections import Counter
from contextlib import suppress

import pytest

from announcerprocess import HastyAnnouncer
from eventually import eventually
from peers.valkey import Valkey
from trackers import GOOD, HttpTracker, Reply, failed

WORKERS = 4
NO_LIMITS = {"rateLimitThreshold": 100, "rateLimitBurst": 1_000_000, "throttleTop": 0}


class Upstream(HttpTracker):
    """Takes a while for each answer, and knows which torrents were told, in their order."""

    delay = 0.02

    async def answer_all(self, reader, writer, connection):
        while True:
            request = self.request(await reader.readuntil(b"\r\n\r\n"), connection)
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(self.delay)
            writer.write(self.replies.get(request.path, Reply(status=404)).octets())

    def torrents(self):
        return [int(request.octets("info_hash").rstrip(b".")) for request in self.requests]


@pytest.fixture
async def upstream():
    tracker = Upstream()
    await tracker.start()
    yield tracker
    await tracker.stop()


@pytest.fixture
async def make(tmp_path):
    """Make the test's announcer; it is not started yet."""
    made = []

    def new(redis="", **forwarding):
        made.append(HastyAnnouncer(tmp_path, redis, forwarding={"workers": WORKERS, **NO_LIMITS, **forwarding}))
        return made[-1]

    yield new
    for announcer in made:
        await announcer.close()


def torrent(number):
    return b"%d" % number


async def announce_all(announcer, numbers):
    for number in numbers:
        assert b"failure" not in await announcer.announce(torrent(number))


async def rows(valkey: Valkey):
    """How many jobs are kept as queued, scheduled or in flight."""
    names = await valkey.command("KEYS", "*/jobs}:T")
    return await valkey.command("ZCARD", names[0]) if names else 0


async def test_killed_with_a_long_queue_it_loses_nothing_and_repeats_at_most_what_was_in_flight(make, valkey, upstream):
    upstream.delay = 0.05
    announcer = make(valkey.url, maxWorkers=WORKERS)
    announcer.forwarder("one", upstream.url())
    await announcer.start()
    await announce_all(announcer, range(400))
    for _ in range(3):
        seen = len(upstream.requests)
        await eventually(lambda: len(upstream.requests) >= seen + 40)  # noqa: B023 called at once
        await announcer.kill()
        await announcer.start()
    await eventually(lambda: len(set(upstream.torrents())) == 400)
    await eventually(lambda: nothing_kept(valkey))
    told = Counter(upstream.torrents())
    assert sum(told.values()) - 400 <= 3 * WORKERS
    assert max(told.values()) <= 4


async def nothing_kept(valkey):
    return await rows(valkey) == 0


async def test_stopped_in_order_it_repeats_nothing(make, valkey, upstream):
    announcer = make(valkey.url)
    announcer.forwarder("one", upstream.url())
    await announcer.start()
    await announce_all(announcer, range(200))
    await eventually(lambda: len(upstream.requests) >= 50)
    await announcer.stop()
    assert len(upstream.requests) < 200
    await announcer.start()
    await eventually(lambda: nothing_kept(valkey))
    assert sorted(upstream.torrents()) == list(range(200))


@pytest.mark.parametrize("way", ["kill", "stop"])
async def test_scheduled_jobs_run_at_their_times(make, valkey, upstream, way):
    announcer = make(valkey.url, retryBase="2s", attempts=2)
    announcer.forwarder("one", upstream.url("/503"))
    await announcer.start()
    await announce_all(announcer, range(20))
    loop = asyncio.get_running_loop()
    await eventually(lambda: len(upstream.requests) >= 20)
    failed_by = loop.time()
    await eventually(lambda: scheduled(announcer, 20))
    await getattr(announcer, way)()
    upstream.replies["/503"] = GOOD
    await announcer.start()
    await eventually(lambda: scheduled(announcer, 20))
    assert len(upstream.requests) == 20
    await eventually(lambda: len(upstream.requests) > 20)
    # The last of the first ones failed then, and all were to wait for 4 s.
    assert loop.time() - failed_by > 3.0
    await eventually(lambda: nothing_kept(valkey))
    assert sorted(upstream.torrents()[20:]) == list(range(20))


async def scheduled(announcer, number):
    return (await announcer.queue()).scheduled == number


async def test_what_waits_in_redis_comes_in_its_order_though_it_is_killed(make, valkey, upstream):
    announcer = make(valkey.url, workers=1, maxWorkers=1, queueSize=10, overflow="spill")
    announcer.forwarder("one", upstream.url())
    upstream.delay = 0.01
    await announcer.start()
    await eventually(lambda: has_redis(announcer))
    await announce_all(announcer, range(300))
    assert (await announcer.queue()).spilled > 0
    for _ in range(2):
        seen = len(upstream.requests)
        await eventually(lambda: len(upstream.requests) >= seen + 50)  # noqa: B023 called at once
        await announcer.kill()
        await announcer.start()
    await eventually(lambda: len(set(upstream.torrents())) == 300)
    told = upstream.torrents()
    assert list(dict.fromkeys(told)) == list(range(300))
    assert len(told) - 300 <= 2
    queue = await announcer.queue()
    assert (queue.refused_full, queue.dropped_full) == (0, 0)


async def has_redis(announcer):
    return not await announcer.degradations()


async def test_swarms_are_there_after_a_kill(make):
    announcer = make()
    await announcer.start()
    for number in range(30):
        await announcer.announce(b"torrent", torrent(number), port=1000 + number)
    before = snapshots(announcer)
    await eventually(lambda: snapshots(announcer) != before)
    before = snapshots(announcer)
    await eventually(lambda: snapshots(announcer) != before)
    await announcer.kill()
    await announcer.start()
    assert (await announcer.queue()).peers == 30
    assert b"10:incompletei30e" in await announcer.announce(b"torrent", torrent(0), port=1000)


def snapshots(announcer):
    """What tells one snapshot from the next."""
    file = announcer.data / "swarms"
    return file.stat().st_mtime_ns if file.exists() else 0


async def test_swarms_are_there_after_a_stop(make):
    announcer = make()
    await announcer.start()
    await announcer.announce(b"torrent")
    await announcer.stop()
    await announcer.start()
    assert (await announcer.queue()).peers == 1


async def test_never_is_never_after_a_kill_until_a_call(make, upstream):
    upstream.replies["/never"] = failed(retry_in="never")
    announcer = make()
    announcer.forwarder("one", upstream.url("/never"))
    await announcer.start()
    await announcer.announce(torrent(1))
    await eventually(lambda: (announcer.data / "forwarders.json").exists())
    for _ in range(2):
        await announcer.kill()
        await announcer.start()
        assert await announcer.conditions() == {"one": "DISABLED"}
        await announcer.announce(torrent(2))
    assert upstream.torrents() == [1]
    async with announcer.client() as client:
        await client.enable("one")
    await announcer.stop()
    await announcer.start()
    assert await announcer.conditions() == {"one": "ENABLED"}


async def test_never_is_over_when_the_spec_changes(make, upstream):
    announcer = make()
    announcer.forwarder("one", upstream.url("/never"))
    await announcer.start()
    await announcer.announce(torrent(1))
    await eventually(lambda: (announcer.data / "forwarders.json").exists())
    await announcer.stop()
    announcer.forwarder("one", upstream.url("/announce"))
    await announcer.start()
    await announcer.announce(torrent(2))
    await eventually(lambda: upstream.torrents() == [1, 2])
