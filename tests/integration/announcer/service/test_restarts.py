"""What an announcer knows again after kill -9, with its jobs in Redis."""

import pytest

from announcing import announce
from eventually import eventually
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from trackers import GOOD, Reply


async def scheduled(server):
    async with server.client() as client:
        return (await client.queue()).scheduled


@pytest.fixture
async def server(valkey, make_announcer, tracker):
    server = make_announcer(valkey.url, forwarding={"retryBase": "4s"})
    server.forwarder("one", tracker.url())
    await server.start()
    await eventually(server.untroubled)
    return server


async def test_a_scheduled_job_runs_at_its_time_after_kill_9(server, tracker):
    tracker.replies["/announce"] = Reply(status=503)
    await announce(server)
    await eventually(lambda: scheduled(server))
    server.running.kill()
    tracker.replies["/announce"] = GOOD
    tracker.requests.clear()
    await server.start()
    await eventually(lambda: tracker.requests, within=60)
    async with server.client() as client:
        await eventually(lambda: nothing_pending(client))
    assert len(tracker.requests) == 1


async def test_every_job_that_the_queue_shows_is_in_redis(server, tracker, valkey):
    tracker.replies["/announce"] = Reply(status=503)
    async with server.client() as client:
        for number in range(100):
            await announce(server, torrent=f"torrent {number}")
            shown = (await client.queue()).pending
            assert shown == number + 1
            assert await rows(valkey) >= shown


async def rows(valkey):
    (key,) = await valkey.command("KEYS", "*/jobs}:T")
    return await valkey.command("ZCARD", key)


async def nothing_pending(client):
    return (await client.queue()).pending == 0


async def test_a_disabled_forwarder_stays_disabled_until_a_call(server, tracker):
    tracker.replies["/announce"] = Reply(status=404)
    await announce(server)
    async with server.client() as client:
        await eventually(lambda: is_disabled(client))
    await eventually(lambda: list((server.folder / "data").rglob("forwarders.json")))
    server.running.kill()
    await server.start()
    async with server.client() as client:
        assert await is_disabled(client)
        await client.enable("one")
    tracker.requests.clear()
    await announce(server, torrent="other")
    await eventually(lambda: tracker.requests)


async def is_disabled(client):
    (one,) = await client.forwarders()
    return one.condition == pb.FORWARDER_CONDITION_DISABLED


async def test_without_redis_it_serves_and_says_what_it_lacks(server, valkey):
    await valkey.stop()
    server.running.kill()
    await server.start()
    assert b"interval" in await announce(server)
    degradation = await eventually(lambda: spill_trouble(server))
    assert degradation.reason == "SpillUnavailable"
    await valkey.start()
    await eventually(server.untroubled, within=60)


async def spill_trouble(server):
    return next((each for each in await server.degradations() if each.kind == "Spill"), None)
