"""Announces to a real opentracker, over HTTP and UDP."""

import pytest

from conftest import missing, peer_script
from forebay.announcer.announce import Event
from forebay.announcer.forwarding.outcome import Answer, Cause
from forebay.announcer.upstream.upstreams import Upstreams
from forebay.runtime import SystemClock
from forwardings import announce, octets, spec
from peers.opentracker import lacking, run_opentracker

UNKNOWN = "unknown"


@pytest.fixture(scope="module")
def opentracker():
    """The port of a tracker that serves the torrents of this module."""
    if reason := lacking():
        missing(reason)
    torrents = [octets(f"{scheme}-{test}") for scheme in ("http", "udp") for test in ("peers", "stop", "seed")]
    with run_opentracker(peer_script("opentracker.sh"), torrents) as (port, _):
        yield port


@pytest.fixture
async def upstreams():
    upstreams = Upstreams(SystemClock())
    yield upstreams
    await upstreams.close()


@pytest.fixture(params=["http", "udp"])
def tracker(request, opentracker):
    return spec(request.param, f"{request.param}://127.0.0.1:{opentracker}/announce")


async def test_clients_find_each_other(upstreams, tracker):
    torrent = f"{tracker.name}-peers"
    for port in (7001, 7002):
        answer = await upstreams.announce(tracker, announce(torrent, f"peer{port}", Event.STARTED, port=port))
    assert isinstance(answer, Answer)
    assert bytes([127, 0, 0, 1]) + (7001).to_bytes(2) in _peers(answer)
    assert 300 <= answer.interval <= 10_800


async def test_who_stopped_is_gone(upstreams, tracker):
    torrent = f"{tracker.name}-stop"
    for event in (Event.STARTED, Event.STOPPED):
        await upstreams.announce(tracker, announce(torrent, "first", event, port=7001))
    answer = await upstreams.announce(tracker, announce(torrent, "second", Event.STARTED, port=7002))
    assert bytes([127, 0, 0, 1]) + (7001).to_bytes(2) not in _peers(answer)


async def test_seeders_and_leechers_are_counted(upstreams, tracker):
    torrent = f"{tracker.name}-seed"
    await upstreams.announce(tracker, announce(torrent, "seeder", Event.STARTED, port=7001, left=0))
    answer = await upstreams.announce(tracker, announce(torrent, "leecher", Event.STARTED, port=7002, left=None))
    assert (answer.complete, answer.incomplete) == (1, 1)


async def test_an_unknown_torrent_is_a_failure(upstreams, tracker):
    failed = await upstreams.announce(tracker, announce(UNKNOWN))
    assert failed.cause in (Cause.FAILURE_REASON, Cause.BAD_ANSWER)


def _peers(answer):
    return [answer.peers[at : at + 6] for at in range(0, len(answer.peers), 6)]
