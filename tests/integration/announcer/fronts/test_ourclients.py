"""The fronts asked by the clients that our own forwarders are."""

import pytest

from forebay.announcer.announce import Event
from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
from forebay.announcer.forwarding.outcome import Answer, Failure
from forebay.announcer.upstream.httpupstream import HttpUpstream
from forebay.announcer.upstream.udpupstream import UdpUpstream
from swarms import announce


@pytest.fixture(params=["http", "udp"])
async def tell(request, http, udp, clock):
    """Sends an announce to a front, over either protocol, and returns what came of it."""
    upstream = HttpUpstream(clock) if request.param == "http" else UdpUpstream(clock)
    port = http.port if request.param == "http" else udp.port
    spec = ForwarderSpec("ours", f"{request.param}://127.0.0.1:{port}/announce?pk=a%2Bb")

    async def tell(**fields):
        return await upstream.announce(spec, announce(**fields))

    yield tell
    await upstream.close()


async def test_they_understand_each_other(tell):
    first = await tell(host=1, port=1001, left=0, key=b"1A2B3C4D", event=Event.STARTED)
    assert isinstance(first, Answer)
    assert (first.interval, first.peers, first.complete, first.incomplete) == (1800, b"", 1, 0)
    second = await tell(host=2, port=1002, left=None)
    assert (second.peers, second.complete, second.incomplete) == (bytes([127, 0, 0, 1]) + (1001).to_bytes(2), 1, 1)
    await tell(host=1, port=1001, key=b"1A2B3C4D", event=Event.STOPPED)
    third = await tell(host=2, port=1002, left=None)
    assert (third.peers, third.complete, third.incomplete) == (b"", 0, 1)


async def test_a_refusal_comes_over_with_its_reason(tell, front_desk):
    class Refusal:
        retry_after = 300.0

    front_desk._forward = lambda announce, knows, now: Refusal
    outcome = await tell(host=1, port=1001)
    assert isinstance(outcome, Failure)
    assert outcome.reason.startswith("the tracker is busy")
