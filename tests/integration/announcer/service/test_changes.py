"""Changes of the configuration of a running announcer."""

import socket

import pytest

from announcing import announce, octets
from eventually import eventually
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay.runtime import FailedPreconditionError, NotFoundError
from ports import free_port
from trackers import V4


@pytest.fixture
async def server(make_announcer):
    server = make_announcer()
    await server.start()
    return server


@pytest.fixture
async def refused(server, tracker):
    """A client of an announcer whose one forwarder is disabled, as its tracker answered 404."""
    server.forwarder("one", tracker.url("/404"))
    await applied(server)
    await announce(server)
    async with server.client() as client:
        await eventually(lambda: disabled(client, "one"))
        yield client


async def applied(server):
    results = await server.apply()
    assert all(result.applied for result in results.values()), results


async def condition_of(client, name):
    return next(each for each in await client.forwarders() if each.name == name)


async def test_what_clients_are_told_changes_live(server):
    assert (await announce(server))[b"interval"] == 1800
    server.spec = {"announces": {"interval": "20m", "minInterval": "5m", "trackerId": "lan/1"}}
    await applied(server)
    answer = await announce(server)
    assert (answer[b"interval"], answer[b"min interval"], answer[b"tracker id"]) == (1200, 300, b"lan/1")
    assert answer[b"incomplete"] == 1, "swarms stay"


async def test_which_torrents_are_tracked_changes_live(server):
    server.spec = {"torrents": {"mode": "deny", "infoHashes": [octets("torrent").hex().upper()]}}
    await applied(server)
    assert await announce(server) == {b"failure reason": b"this torrent is not tracked here"}
    assert b"interval" in await announce(server, torrent="other")


async def test_a_trusted_proxy_is_believed_from_then_on(server):
    server.spec = {"announces": {"trustedProxies": ["127.0.0.0/8"]}}
    await applied(server)
    from aiohttp import ClientSession

    async with ClientSession() as http:
        url = f"http://127.0.0.1:{server.port}/announce?info_hash={'a' * 20}&peer_id={'b' * 20}&port=1&compact=1"
        async with http.get(url, headers={"X-Forwarded-For": "203.0.113.9"}) as response:
            assert b"11:external ip4:\xcb\x00q\x09" in await response.read()


async def test_listeners_move_and_what_was_there_stays(server):
    await announce(server, peer="before", port=1001)
    server.port = free_port()
    await applied(server)
    assert (await announce(server, peer="after", port=1002))[b"incomplete"] == 2


async def test_a_listener_is_switched_off(server):
    server.spec = {"listeners": {"http": {"enabled": False}}}
    await applied(server)
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.1", server.port), 5):
        pass


async def test_a_port_that_is_taken_is_told_and_the_rest_runs(server):
    await announce(server, peer="before")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server.spec = {"listeners": {"http": {"port": port}}, "announces": {"interval": "20m"}}
        results = await server.apply()
    (violation,) = results["Announcer/lan"].violations
    assert violation.field == "spec.listeners.http"
    assert str(port) in violation.description
    assert "choose another" in violation.description
    server.spec = {}
    await applied(server)
    assert (await announce(server, peer="after", port=1002))[b"incomplete"] == 2


@pytest.mark.parametrize("protocol", ["http", "udp"])
async def test_a_port_that_becomes_free_is_taken_without_another_apply(server, protocol):
    kind = socket.SOCK_STREAM if protocol == "http" else socket.SOCK_DGRAM
    with socket.socket(type=kind) as taken:
        taken.bind(("127.0.0.1", 0))
        if protocol == "http":
            taken.listen()
        server.spec = {"listeners": {protocol: {"port": taken.getsockname()[1]}}}
        assert not (await server.apply())["Announcer/lan"].applied
        (degradation,) = await server.degradations()
        assert (degradation.reason, degradation.kind) == ("NotListening", "")
        assert degradation.message.endswith("free it, or choose another; it is tried again by itself")
    await eventually(server.untroubled, within=30)
    with socket.socket(type=kind) as probe, pytest.raises(OSError, match="in use"):
        probe.bind(("127.0.0.1", server.spec["listeners"][protocol]["port"]))


async def test_forwarders_come_and_go(server, tracker):
    await announce(server)
    server.forwarder("one", tracker.url())
    await applied(server)
    await announce(server)
    await eventually(lambda: len(tracker.requests) == 1)
    assert V4 in (await eventually(lambda: told_peers(server)))
    del server.forwarders["one"]
    await applied(server)
    async with server.client() as client:
        assert await client.forwarders() == []


async def told_peers(server):
    return (await announce(server, peer="late", port=1004))[b"peers"]


async def test_a_disabled_forwarder_is_told_with_its_reason_and_enabled_by_a_call(server, tracker):
    server.forwarder("one", tracker.url("/404"))
    await applied(server)
    await announce(server)
    async with server.client() as client:
        one = await eventually(lambda: disabled(client, "one"))
        assert (one.cause, one.reason) == ("REJECTED", "HTTP 404 Not Found")
        assert one.tracker == f"http://127.0.0.1:{tracker.port}"
        (degradation,) = await server.degradations()
        assert (degradation.reason, degradation.kind, degradation.name) == ("ForwarderDisabled", "Forwarder", "one")
        enabled = await client.enable("one")
        assert enabled.condition == pb.FORWARDER_CONDITION_ENABLED
        assert await server.degradations() == []


async def disabled(client, name):
    found = await condition_of(client, name)
    return found if found.condition == pb.FORWARDER_CONDITION_DISABLED else None


async def test_a_change_of_its_spec_enables_a_forwarder(server, tracker, refused):
    server.forwarder("one", tracker.url("/announce"))
    await applied(server)
    assert (await condition_of(refused, "one")).condition == pb.FORWARDER_CONDITION_ENABLED
    await announce(server)
    await eventually(lambda: answered(refused, "one"))


async def answered(client, name):
    return (await condition_of(client, name)).answers == 1


async def test_a_change_of_the_announcer_leaves_forwarders_as_they_are(server, refused):
    server.spec = {"forwarding": {"workers": 3, "attempts": 2}}
    await applied(server)
    assert await disabled(refused, "one")
    assert (await refused.queue()).max_workers == 6


async def test_a_paused_forwarder_gets_nothing(server, tracker):
    server.forwarder("one", tracker.url(), pause=True)
    await applied(server)
    await announce(server)
    async with server.client() as client:
        one = await condition_of(client, "one")
        assert (one.condition, one.reason) == (pb.FORWARDER_CONDITION_PAUSED, "spec.pause is true")
        assert (await client.queue()).pending == 0
        with pytest.raises(FailedPreconditionError, match=r"set spec\.pause to false"):
            await client.enable("one")
    server.forwarder("one", tracker.url())
    await applied(server)
    await announce(server)
    await eventually(lambda: tracker.requests)


async def test_a_disabled_forwarder_is_disabled_still_after_a_pause(server, tracker, refused):
    server.forwarder("one", tracker.url("/404"), pause=True)
    await applied(server)
    assert (await condition_of(refused, "one")).condition == pb.FORWARDER_CONDITION_PAUSED
    server.forwarder("one", tracker.url("/404"))
    await applied(server)
    assert (await disabled(refused, "one")).cause == "REJECTED"


async def test_a_forwarder_s_own_failure_policy_counts(server, tracker):
    server.spec = {"forwarding": {"attempts": 5}}
    server.forwarder("one", tracker.url("/500"), failurePolicy={"attempts": 1, "failThreshold": 1})
    server.forwarder("two", tracker.url("/503"), failurePolicy={"attempts": 1, "failThreshold": 0})
    await applied(server)
    await announce(server)
    async with server.client() as client:
        one = await eventually(lambda: disabled(client, "one"))
        assert one.cause == "TOO_MANY_FAILURES"
        two = await eventually(lambda: failed(client, "two"))
        assert two.condition == pb.FORWARDER_CONDITION_ENABLED


async def failed(client, name):
    found = await condition_of(client, name)
    return found if found.failures else None


async def test_a_forwarder_with_a_fault_stays_as_it_was(server, tracker, refused):
    server.forwarder("one", tracker.url("/404"), timeout="0s")
    results = await server.apply()
    assert results["Forwarder/one"].violations[0].field == "spec.timeout"
    assert await disabled(refused, "one")


async def test_an_unknown_forwarder_cannot_be_enabled(server):
    async with server.client() as client:
        with pytest.raises(NotFoundError, match="'nobody'"):
            await client.enable("nobody")


async def test_keys_in_urls_are_told_nowhere(server, tracker):
    server.forwarder("one", tracker.url("/404?passkey=secret-key"))
    server.forwarder("two", "http://:1/announce?passkey=secret-key")
    results = await server.apply()
    assert "secret-key" not in str(results)
    await announce(server)
    async with server.client() as client:
        one = await eventually(lambda: disabled(client, "one"))
    assert "secret-key" not in str(one)
    assert "secret-key" not in server.log_text()
