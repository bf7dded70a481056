"""Samples between services, and between services and nodes outside."""

import asyncio

from eventually import eventually
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from integration.conduit.service.following import collect, declared, numbered, peers, subscribed
from lossyproxy import LossyProxy

URI = "/plant/press/force"


async def test_samples_go_between_a_service_and_a_node_outside_both_ways(make_node, outside, attach):
    press = make_node()
    await press.start()
    edge = await outside(press.place)
    attached = await attach(press)
    subscription, at_edge = await attached.subscribe("/plant/**"), edge.subscribe(URI)
    await edge.until(lambda: subscribed(edge))
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    assert await edge.publisher("/plant/edge").write(numbered(100)) == 100
    assert await collect(subscription, 100) == numbered(100)
    publisher = await attached.publisher(URI)
    outcome = await publisher.publish(numbered(200))
    assert outcome.accepted == 200
    assert await collect(at_edge, 200) == numbered(200)


async def test_two_services_exchange_samples_over_a_network_that_loses_every_fifth_datagram(make_node, attach):
    press = make_node("press")
    await press.start()
    async with LossyProxy(("127.0.0.1", press.udp_port), 0.2, seed=7) as proxy:
        oven = make_node("oven", peers=[proxy.place])
        await oven.start()
        at_press, at_oven = await attach(press), await attach(oven)
        here, there = await at_press.subscribe("/from/oven"), await at_oven.subscribe("/from/press")
        await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, "/from/press")
        await declared(oven, pb.DECLARATION_KIND_SUBSCRIBER, "/from/oven")
        onward, back = await at_press.publisher("/from/press"), await at_oven.publisher("/from/oven")

        async def publish(publisher):
            for first in range(0, 2000, 100):
                assert (await publisher.publish(numbered(100, first))).accepted == 100

        _, _, found, others = await asyncio.gather(
            publish(onward), publish(back), collect(here, 2000), collect(there, 2000)
        )
        assert found == others == numbered(2000)
        assert proxy.lost > 0
        await oven.stop()


async def test_three_nodes_get_what_a_fourth_publishes(make_node, outside, attach):
    press = make_node()
    await press.start()
    edges = [await outside(press.place) for _ in range(2)]
    await peers(press, 2)
    attached = await attach(press)
    own = await attached.subscribe(URI)
    subscriptions = [edge.subscribe(URI) for edge in edges]
    for edge in edges:
        await edge.until(lambda edge=edge: subscribed(edge))

    await eventually(lambda: both_subscribe(press))
    publisher = await attached.publisher(URI)
    await publisher.publish(numbered(50))
    for subscription in (own, *subscriptions):
        assert await collect(subscription, 50) == numbered(50)


async def both_subscribe(press):
    return len(await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)) == 2


async def test_large_samples_go_in_pieces(make_node, attach):
    press = make_node("press")
    await press.start()
    oven = make_node("oven", peers=[press.place])
    await oven.start()
    subscription = await (await attach(oven)).subscribe(URI)
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    publisher = await (await attach(press)).publisher(URI)
    samples = [bytes([index]) * 300_000 for index in range(3)]
    assert (await publisher.publish(samples)).accepted == 3
    assert await collect(subscription, 3) == samples


async def test_a_sample_that_is_too_large_is_refused_with_the_limit(make_node, attach):
    press = make_node(extras={"fragments": {"maxSample": "1MiB"}})
    await press.start()
    publisher = await (await attach(press)).publisher(URI)
    outcome = await publisher.publish([b"small", bytes(2 << 20)])
    assert (outcome.accepted, outcome.refused, outcome.reason) == (0, 2, "SAMPLE_TOO_LARGE")
    assert "1048576" in outcome.problem or "of 1472" in outcome.problem
