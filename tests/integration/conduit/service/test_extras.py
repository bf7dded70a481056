"""What services and nodes of our own kind have beside zhe's protocol."""

import pytest

from eventually import eventually
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from integration.conduit.service.following import collect, declared, numbered, peers, subscribed

URI = "/plant/press/force"
LARGE = bytes(range(256)) * 4096
"""1 MiB."""


@pytest.fixture
async def two(make_node):
    """Two services that have met."""
    press = make_node("press")
    await press.start()
    oven = make_node("oven", peers=[press.place])
    await oven.start()
    await peers(press, 1)
    return press, oven


@pytest.mark.parametrize("long_numbers", [True, False], ids=["28-bits", "14-bits"])
async def test_a_service_and_a_node_agree_on_extras_and_exchange_large_samples(
    make_node, outside, attach, long_numbers
):
    press = make_node(extras={"longNumbers": long_numbers})
    await press.start()
    edge = await outside(press.place)
    attached = await attach(press)
    at_edge, here = edge.subscribe(URI), await attached.subscribe("/edge")
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    await edge.until(lambda: subscribed(edge))
    assert (await (await attached.publisher(URI)).publish([LARGE])).accepted == 1
    assert await collect(at_edge, 1) == [LARGE]
    assert await edge.publisher("/edge").write([LARGE]) == 1
    assert await collect(here, 1) == [LARGE]
    [peer] = press.service.node.station.peers
    assert peer.extras.number_bits == (28 if long_numbers else 14)
    assert peer.extras.largest_sample == 4 << 20


async def test_two_services_exchange_a_large_sample(two, attach):
    press, oven = two
    subscription = await (await attach(oven)).subscribe(URI)
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    publisher = await (await attach(press)).publisher(URI)
    assert (await publisher.publish([LARGE])).accepted == 1
    assert await collect(subscription, 1) == [LARGE]


async def test_who_subscribes_late_gets_the_last_samples_and_then_fresh_ones(two, attach, outside):
    press, oven = two
    publisher = await (await attach(press)).publisher(URI, history=5)
    assert (await publisher.publish(numbered(20))).accepted == 20
    late = await (await attach(oven)).subscribe(URI, history=3)
    assert await collect(late, 3) == numbered(3, 17)
    edge = await outside(press.place)
    at_edge = edge.subscribe(URI, history=5)
    assert await collect(at_edge, 5) == numbered(5, 15)
    await publisher.publish(numbered(2, 20))
    assert await collect(late, 2) == await collect(at_edge, 2) == numbered(2, 20)


async def gone(server):
    """Wait until a service knows of nothing that is alive."""

    async def nothing_alive():
        async with server.client() as client:
            return not [each async for each in client.declarations(kind=pb.DECLARATION_KIND_LIVELINESS)]

    await eventually(nothing_alive)


async def test_other_services_know_what_is_alive_and_what_is_no_more(two, attach):
    press, oven = two
    attached = await attach(press)
    token = await attached.token("/alive/press")
    [found] = await declared(oven, pb.DECLARATION_KIND_LIVELINESS, "/alive/press")
    assert found.peer_id == attached.peer_id
    await attached.undeclare(token)
    await gone(oven)
    await attached.token("/alive/press")
    await declared(oven, pb.DECLARATION_KIND_LIVELINESS, "/alive/press")
    await press.stop()
    await gone(oven)
