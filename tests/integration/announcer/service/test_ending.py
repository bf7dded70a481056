"""The end of an announcer, and jobs for which its queue has no room."""

import asyncio
import signal

import pytest

from announcing import announce
from eventually import eventually
from trackers import HttpTracker


async def trouble(server):
    return [each.reason for each in await server.degradations()]


async def kept(server):
    """Whether jobs are kept in Redis."""
    return not await trouble(server)


@pytest.fixture
async def server(valkey, make_announcer, tracker):
    """One that asks a tracker with one worker, and has room for ten jobs; what finds none waits in Redis."""
    forwarding = {"workers": 1, "maxWorkers": 1, "queueSize": 10, "overflow": "spill", "throttleTop": 0}
    server = make_announcer(valkey.url, forwarding=forwarding)
    server.forwarder("one", tracker.url())
    await server.start()
    await eventually(lambda: kept(server))
    return server


async def queue(server):
    async with server.client() as client:
        return await client.queue()


async def ended(server):
    """Its exit status, after SIGTERM was sent."""
    await eventually(lambda: not server.running.running)
    return server.running.process.returncode


async def test_a_request_in_flight_ends_and_is_not_sent_again_after_the_restart(server, tracker):
    tracker.gate.clear()
    await announce(server)
    await eventually(lambda: tracker.requests)
    server.running.send(signal.SIGTERM)
    await eventually(lambda: refuses(server))
    tracker.gate.set()
    assert await ended(server) == 0
    await server.start()
    await eventually(lambda: kept(server))
    assert (await queue(server)).pending == 0
    assert len(tracker.requests) == 1


async def refuses(server):
    """Whether clients are not served any more."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    except OSError:
        return True
    writer.close()
    return False


async def test_one_that_does_not_end_is_waited_for_no_longer_than_the_grace_and_sent_again(server, tracker):
    tracker.gate.clear()
    await announce(server)
    await eventually(lambda: tracker.requests)
    server.running.send(signal.SIGTERM)
    assert await ended(server) == 0
    tracker.gate.set()
    tracker.requests.clear()
    await server.start()
    await eventually(lambda: tracker.requests)


async def test_jobs_without_room_wait_in_redis_over_a_restart_and_go_on_in_their_order(server, tracker):
    tracker.gate.clear()
    torrents = [f"torrent-{number:02}" for number in range(30)]
    for torrent in torrents:
        await announce(server, torrent)
    await eventually(lambda: tracker.requests)
    status = await queue(server)
    assert (status.depth, status.spilled, status.refused_full, status.dropped_full) == (10, 19, 0, 0)
    metrics = await server.metrics()
    assert metrics["forebay_announcer_queue_spilled",] == 19
    server.running.send(signal.SIGTERM)
    await eventually(lambda: refuses(server))
    tracker.gate.set()
    assert await ended(server) == 0
    await server.start()
    await eventually(lambda: len(tracker.requests) == 30)
    assert [request.octets("info_hash").rstrip(b".").decode() for request in tracker.requests] == torrents
    await eventually(lambda: idle(server))


async def idle(server):
    status = await queue(server)
    return (status.pending, status.spilled) == (0, 0)


async def test_another_redis_is_told_to_need_a_restart_and_the_rest_is_applied(server, tracker):
    other = HttpTracker()
    await other.start()
    server.redis = "redis://127.0.0.1:1/0"
    server.forwarder("two", other.url())
    results = await server.apply()
    (violation,) = results["Spill/spill"].violations
    assert violation.description == "the URL changed: restart the service, which then keeps its jobs there"
    assert results["Forwarder/two"].applied
    await announce(server)
    await eventually(lambda: other.requests)
    assert await kept(server)
    await other.stop()
