"""What a service counts that goes wrong in the network."""

import time

from eventually import eventually
from forebay.conduit.core.wire.declarations import SubscriptionMode
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from integration.conduit.service.following import declared, peers
from lossyproxy import LossyProxy

URI = "/plant/press/force"


async def metric(server, name, *labels):
    return (await server.metrics()).get((f"forebay_conduit_{name}_total", *labels), 0)


async def test_samples_of_which_pieces_are_lost_are_counted_and_not_delivered(make_node, outside, attach):
    press = make_node(extras={"fragments": {"timeout": "100ms"}})
    await press.start()
    async with LossyProxy(("127.0.0.1", press.udp_port), 0.2, seed=5) as proxy:
        edge = await outside(proxy.place)
        subscription = await (await attach(press)).subscribe(URI)
        register = edge.participant.node.declarations
        await edge.until(lambda: register.directory.reach_uri(URI).peers)
        publisher, samples = edge.publisher(URI, reliable=False), [bytes([index]) * 20_000 for index in range(40)]
        for sample in samples:
            await publisher.write([sample])
        await eventually(lambda: metric(press, "broken"))
        # What a reliable one brings is behind the others.
        await edge.publisher(URI).write([b"last"])
        found = []
        async for delivery in subscription:
            found += delivery.samples
            if b"last" in found:
                break
    assert set(found) < {*samples, b"last"}


async def test_what_a_peer_cannot_be_told_is_counted(make_node, outside, attach):
    """Kept samples are as large as for those who get them at once, and the way to the one who pulls is narrower."""
    press = make_node(unicast={"packetSize": 128}, extras={"fragments": {"enabled": False}})
    await press.start()
    edge = await outside(press.place)
    got = []
    now = time.monotonic()
    participant = edge.participant
    number = participant.declare_subscriber(
        URI, lambda each: got.extend(each.payloads), now, mode=SubscriptionMode.PULL
    )
    edge.advance()
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    publisher = await (await attach(press)).publisher(URI)
    await publisher.publish([b"small", bytes(500)])
    assert not await metric(press, "untold")
    participant.pull(number, time.monotonic())
    edge.advance()
    await eventually(lambda: metric(press, "untold"))
    await eventually(lambda: got == [b"small"])


async def test_datagrams_that_are_not_let_in_are_counted_by_reason(make_node, outside):
    keys = [{"id": 1, "keyFrom": {"secretRef": {"name": "keys", "key": "key"}}}]
    press = make_node(authentication={"keys": keys})
    press.keys = {"key": "a key of 16 octets at least"}
    await press.start()
    await outside(press.place)
    await outside(press.place, keys={2: b"a key of 16 octets at least"})
    known = await outside(press.place, keys={1: b"a key of 16 octets at least"})
    await peers(press, 1)

    async def reasons():
        found = await press.metrics()
        return {labels[1] for labels in found if labels[0] == "forebay_conduit_refused_datagrams_total"}

    await eventually(lambda: several(reasons))
    assert press.service.node.station.peers[0].peer_id == known.peer_id


async def several(look):
    return len(await look()) >= 2
