"""Configuration that is applied while a service runs."""

import asyncio

import pytest

from eventually import eventually
from forebay.client.conduitservice import Published
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from integration.conduit.service.following import collect, declared, numbered, peers, subscribed

URI = "/plant/press/force"
KEYS = {"old": "an old key of 16 octets at least", "new": "a new key of 16 octets at least"}


def sealed(*names):
    numbers = {"old": 1, "new": 2}
    source = [{"id": numbers[name], "keyFrom": {"secretRef": {"name": "keys", "key": name}}} for name in names]
    return {"keys": source}


async def test_changes_end_no_session_and_lose_no_sample(make_node, outside, attach):
    press = make_node()
    await press.start()
    edge, other = await outside(press.place), await outside()
    subscription = edge.subscribe(URI)
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    [peer] = await peers(press, 1)
    publisher = await (await attach(press)).publisher(URI)

    async def publish():
        for first in range(0, 3000, 100):
            assert await publisher.publish(numbered(100, first)) == Published(100)
            await asyncio.sleep(0)

    async def change():
        press.spec["resources"] = [{"uri": "/plant/press", "id": 9}]
        await press.applied()
        press.spec["peers"] = ["udp/{}:{}".format(*other.address)]
        press.spec["congestion"] = {"policy": "drop"}
        press.spec["limits"] = {"publishers": 1}
        await press.applied()

    _, _, found = await asyncio.gather(publish(), change(), collect(subscription, 3000))
    assert found == numbered(3000)
    after = await peers(press, 2)
    assert (peer.peer_id, peer.since) in [(each.peer_id, each.since) for each in after]
    own = await declared(press, pb.DECLARATION_KIND_RESOURCE, "/plant/press", others=False)
    assert ("/plant/press", 9) in [(each.uri, each.rid) for each in own]
    press.spec["resources"] = []
    await press.applied()
    await eventually(lambda: forgotten(press, "/plant/press"))


async def forgotten(server, uri):
    async with server.client() as client:
        found = [each async for each in client.declarations(uri, kind=pb.DECLARATION_KIND_RESOURCE)]
    return uri not in [each.uri for each in found]


async def test_what_holds_for_as_long_as_the_service_runs_is_told(make_node):
    press = make_node()
    await press.start()
    press.spec |= {"lease": "9s", "conduits": [{"latencyBudget": "1ms"}]}
    results = await press.apply()
    violations = {each.field: each.description for each in results["ConduitNode/press"].violations}
    assert set(violations) == {"spec.lease", "spec.conduits"}
    assert "restart it" in violations["spec.lease"]


async def test_keys_are_changed_without_losing_a_session(make_node, attach):
    press, oven = make_node("press", authentication=sealed("old")), make_node("oven", authentication=sealed("old"))
    oven.spec["peers"] = [press.place]
    for each in (press, oven):
        each.keys = KEYS
        await each.start()
    [peer] = await peers(press, 1)
    subscription = await (await attach(oven)).subscribe(URI)
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    publisher = await (await attach(press)).publisher(URI)
    for step, names in enumerate((("old", "new"), ("new", "old"), ("new",))):
        for each in (press, oven):
            each.spec["authentication"] = sealed(*names)
            await each.applied()
        await publisher.publish(numbered(10, 10 * step))
        assert await collect(subscription, 10) == numbered(10, 10 * step)
    assert [(each.peer_id, each.since) for each in await peers(press, 1)] == [(peer.peer_id, peer.since)]


async def test_whoever_has_no_key_gets_no_session_and_is_counted(make_node, outside):
    press = make_node(authentication=sealed("new"))
    press.keys = KEYS
    await press.start()
    await outside(press.place)
    known = await outside(press.place, keys={2: KEYS["new"].encode()})
    [peer] = await peers(press, 1)
    assert peer.peer_id == known.peer_id

    async def refused():
        async with press.client() as client:
            return (await client.node()).refused_datagrams

    assert await eventually(refused)


@pytest.mark.parametrize("keys", [{}, {"new": "short"}], ids=["missing", "short"])
async def test_a_key_that_cannot_be_used_is_told_and_the_last_one_stays(make_node, attach, keys):
    press = make_node(authentication=sealed("new"))
    press.keys = KEYS
    await press.start()
    press.keys = keys
    results = await press.apply()
    [violation] = results["ConduitNode/press"].violations
    assert violation.field == "spec.authentication.keys[0].keyFrom.secretRef"
    await (await attach(press)).publisher(URI)
    assert not await press.degradations()


async def test_a_node_without_a_sound_configuration_waits_for_one(make_node, attach):
    press = make_node(conduits=[{"window": {"samples": 9000}}])
    await press.start()
    [degradation] = await press.degradations()
    assert degradation.reason == "NotConfigured"
    results = await press.apply()
    [violation] = results["ConduitNode/press"].violations
    assert violation.field == "spec.conduits[0]"
    assert "take 1 to 8191" in violation.description
    press.spec["conduits"] = [{}]
    await press.applied()
    await (await attach(press)).publisher(URI)


async def test_a_port_that_is_taken_is_told(make_node):
    press, other = make_node("press"), make_node("other")
    await press.start()
    other.udp_port = press.udp_port
    await other.start()
    [violation] = (await other.apply())["ConduitNode/other"].violations
    assert violation.field == "spec.listeners"
    await press.stop()
    await other.applied()


async def test_a_resource_that_a_peer_has_otherwise_is_a_degradation(make_node):
    press = make_node("press", resources=[{"uri": "/plant/press", "id": 7}])
    await press.start()
    oven = make_node("oven", peers=[press.place])
    await oven.start()
    await declared(oven, pb.DECLARATION_KIND_RESOURCE, "/plant/press")
    oven.spec["resources"] = [{"uri": "/plant/oven", "id": 7}]
    await oven.applied()
    [degradation] = await eventually(oven.degradations)
    assert degradation.reason == "ResourceRefused"
    assert "/plant/oven" in degradation.message


async def test_streams_reach_it_where_it_listens_for_them(make_node, outside):
    press = make_node()
    press.spec["listeners"] = {"tcp": {"port": press.udp_port}}
    await press.start()
    edge = await outside(f"tcp/127.0.0.1:{press.udp_port}")
    subscription = edge.subscribe(URI)
    [peer] = await peers(press, 1)
    assert peer.address.startswith("tcp/127.0.0.1:")
    await edge.until(lambda: not subscribed(edge))
    await edge.publisher("/other").write([b"x"])
    subscription.close()
