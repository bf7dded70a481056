"""Clients of a service: what they declare, and what is left of them."""

import asyncio
import signal
import sys

import pytest
from grpc.aio import AioRpcError

from eventually import eventually
from forebay.conduit.clients.attachments import Quota
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
    UnavailableError,
)
from integration.conduit.service.following import collect, declared, numbered, peers, subscribed

URI = "/plant/press/force"
PROGRAM = """
import asyncio, sys
from forebay.client.conduitservice import ConduitClient

async def main():
    async with ConduitClient.connect(sys.argv[1]) as client, client.attach("doomed") as attachment:
        await attachment.subscribe("/doomed/**")
        publisher = await attachment.publisher("/plant/press/force")
        await publisher.publish([index.to_bytes(4, "big") for index in range(100)])
        print("published", flush=True)
        await asyncio.sleep(3600)

asyncio.run(main())
"""


async def test_a_publisher_that_is_killed_leaves_nothing_but_its_samples(make_node, outside):
    press = make_node()
    await press.start()
    edge = await outside(press.place)
    subscription = edge.subscribe(URI)
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, URI)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, press.address, stdout=asyncio.subprocess.PIPE
    )
    assert await process.stdout.readline() == b"published\n"
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, "/doomed/**", others=False)
    process.send_signal(signal.SIGKILL)
    await process.wait()
    await eventually(lambda: nothing_declared(press))
    assert await collect(subscription, 100) == numbered(100)
    await edge.until(lambda: not subscribed(edge))


async def nothing_declared(server):
    async with server.client() as client:
        node = await client.node()
        own = [each async for each in client.declarations(peer_id=node.peer_id)]
    return not (node.clients or node.publishers or node.subscribers or own)


async def test_what_is_undeclared_is_forgotten(make_node, attach):
    press = make_node()
    await press.start()
    attached = await attach(press)
    resource = await attached.resource("/plant/oven", rid=77, reliable=True)
    selection = await attached.selection("/plant/*")
    token = await attached.token("/alive/press")
    publisher, subscription = await attached.publisher(77), await attached.subscribe(selection.rid)
    assert resource.rid == 77
    assert selection.rid < 0
    found = await declared(press, None, "", others=False)
    assert {(each.uri, each.kind) for each in found} == {
        ("/plant/oven", pb.DECLARATION_KIND_RESOURCE),
        ("/plant/*", pb.DECLARATION_KIND_SELECTION),
        ("/alive/press", pb.DECLARATION_KIND_LIVELINESS),
        ("/plant/oven", pb.DECLARATION_KIND_PUBLISHER),
        ("/plant/*", pb.DECLARATION_KIND_SUBSCRIBER),
    }
    await publisher.close()
    await subscription.close()
    for number in (resource.declaration, selection.declaration, token):
        await attached.undeclare(number)
    with pytest.raises(NotFoundError, match=f"the client has no declaration {token}"):
        await attached.undeclare(token)
    node = press.service.node
    assert not node.station.participant.known()
    assert [node.attachments.counted(quota) for quota in Quota] == [0, 0, 0]


async def test_a_resource_that_peers_know_otherwise_is_refused_and_told(make_node, attach):
    press = make_node("press")
    await press.start()
    oven = make_node("oven", peers=[press.place], resources=[{"uri": "/plant/oven", "id": 5}])
    await oven.start()
    await peers(press, 1)
    await declared(press, pb.DECLARATION_KIND_RESOURCE, "/plant/oven")
    attached = await attach(press)
    with pytest.raises(AlreadyExistsError, match="the resource /plant/other was refused") as refused:
        await attached.resource("/plant/other", rid=5)
    assert refused.value.reason == "CONFLICT"
    assert press.service.node.attachments.counted(Quota.RESOURCES) == 0


async def test_a_resource_of_one_subscriber_refuses_the_second_who_is_told(make_node, attach, outside):
    press = make_node("press", resources=[{"uri": "/plant/press", "unicast": True}])
    await press.start()
    publisher = await (await attach(press)).publisher("/plant/press")
    # Of two at the same moment the lower id would get it.
    first = await outside(press.place, peer_id=b"1")
    oven = make_node("oven", peers=[press.place], peerId=b"2".hex())
    await oven.start()
    await first.until(lambda: any(each.kind.value == "resource" for each in first.participant.known()))
    await declared(oven, pb.DECLARATION_KIND_RESOURCE, "/plant/press")
    got = first.subscribe("/plant/press")
    await declared(press, pb.DECLARATION_KIND_SUBSCRIBER, "/plant/press")
    late = await attach(oven)
    await late.subscribe("/plant/press")
    event = await anext(late.events())
    assert event.change == pb.DECLARATION_CHANGE_REFUSED
    assert (event.declaration.uri, event.declaration.kind) == ("/plant/press", pb.DECLARATION_KIND_SUBSCRIBER)
    assert "has another subscriber for this unicast resource" in event.reason
    await publisher.publish(numbered(10))
    assert await collect(got, 10) == numbered(10)


async def test_whoever_is_not_attached_declares_nothing(make_node, attach):
    press = make_node()
    await press.start()
    attached = await attach(press)
    request = pb.DeclarePublisherRequest(client=b"somebody else   ", uri=URI)
    with pytest.raises(AioRpcError, match="no such client is attached: call Attach"):
        await attached._stub.DeclarePublisher(request)


@pytest.mark.parametrize(
    ("limit", "what"),
    [("resources", "resource"), ("publishers", "publisher"), ("subscribers", "subscribe")],
)
async def test_limits_hold_over_all_clients(make_node, attach, limit, what):
    press = make_node(limits={limit: 2})
    await press.start()
    one, two = await attach(press), await attach(press)
    for client, uri in ((one, "/a"), (two, "/b")):
        await getattr(client, what)(uri)
    with pytest.raises(ResourceExhaustedError, match=rf"clients have 2 {limit}, and limits\.{limit} is 2"):
        await getattr(one, what)("/c")
    press.spec["limits"] = {limit: 3}
    await press.applied()
    await getattr(one, what)("/c")


@pytest.mark.parametrize(
    ("what", "resource", "options", "field"),
    [
        pytest.param("publisher", "plant", {}, "uri", id="uri"),
        pytest.param("publisher", URI, {"conduit": 2}, "conduit", id="conduit"),
        pytest.param("publisher", URI, {"congestion": 9}, "congestion", id="congestion"),
        pytest.param("subscribe", URI, {"slow": 9}, "slow", id="slow"),
        pytest.param("subscribe", URI, {"mode": 9}, "mode", id="mode"),
        pytest.param("subscribe", URI, {"queued_samples": 1 << 20}, "queued_samples", id="queue"),
        pytest.param("subscribe", URI, {"mode": 3}, "period", id="no-period"),
        pytest.param("resource", URI, {"durability": 9}, "durability", id="durability"),
    ],
)
async def test_what_is_wrong_with_a_request_is_named(make_node, attach, what, resource, options, field):
    press = make_node()
    await press.start()
    attached = await attach(press)
    with pytest.raises(InvalidArgumentError) as raised:
        await getattr(attached, what)(resource, **options)
    [violation] = raised.value.violations
    assert violation.field == field
    assert not len(press.service.node.station.participant.known())


async def test_a_publisher_that_spills_needs_a_spill(make_node, attach):
    press = make_node()
    await press.start()
    with pytest.raises(FailedPreconditionError, match="the node has no Spill: give the ConduitNode a spillRef"):
        await (await attach(press)).publisher(URI, congestion=pb.CONGESTION_SPILL)


async def test_one_stream_reads_a_subscriber_at_a_time_and_another_goes_on(make_node, attach, outside):
    press = make_node()
    await press.start()
    edge = await outside(press.place)
    attached = await attach(press)
    first = await attached.subscribe(URI)
    await edge.until(lambda: subscribed(edge))
    publisher = edge.publisher(URI)
    await publisher.write(numbered(10))
    assert await collect(first, 10) == numbered(10)
    request = pb.SubscribeRequest(client=first.client, subscriber=first.number)
    with pytest.raises(AioRpcError, match="another stream reads subscriber"):
        await attached._stub.Subscribe(request).read()
    first._call.cancel()
    await publisher.write(numbered(10, 10))
    [client] = press.service.node.attachments
    await eventually(lambda: not client.declared[first.number].read)
    call, found = attached._stub.Subscribe(request), []
    while len(found) < 10:
        found += [sample for each in (await call.read()).deliveries for sample in each.samples]
    assert found == numbered(10, 10)


async def test_clients_without_patience_are_told_that_the_service_ends(make_node, attach):
    press = make_node()
    await press.start()
    attached = await attach(press, patience=0)
    subscription, publisher = await attached.subscribe(URI), await attached.publisher(URI)
    await publisher.publish([b"last"])
    assert await collect(subscription, 1) == [b"last"]
    reading = asyncio.ensure_future(anext(aiter(subscription)))
    watching = asyncio.ensure_future(anext(attached.events()))
    await press.stop()
    for waiting in (reading, watching):
        with pytest.raises(UnavailableError, match="the service stops: attach again"):
            await waiting


async def test_clients_are_attached_again_after_a_restart_and_what_is_refused_then_fails_alone(make_node, attach):
    press = make_node()
    await press.start()
    attached = await attach(press)
    first, second = await attached.publisher(URI), await attached.publisher("/plant/other")
    subscription = await attached.subscribe("/plant/**")
    assert (await second.publish(numbered(1))).accepted == 1
    assert await collect(subscription, 1) == numbered(1)
    await press.stop()
    publishing = [asyncio.ensure_future(each.publish(numbered(10))) for each in (first, second)]
    press.spec["limits"] = {"publishers": 1}
    await press.start()
    assert (await publishing[0]).accepted == 10
    assert await collect(subscription, 10) == numbered(10)
    with pytest.raises(ResourceExhaustedError, match=r"limits\.publishers is 1"):
        await publishing[1]
    assert attached.attachments == 2


async def test_whoever_reads_may_be_cancelled_and_read_again(make_node, attach):
    press = make_node()
    await press.start()
    attached = await attach(press)
    subscription, publisher = await attached.subscribe(URI), await attached.publisher(URI)
    for _ in range(3):
        reading = asyncio.ensure_future(anext(aiter(subscription)))
        await asyncio.wait([reading], timeout=0.01)
        reading.cancel()
        await asyncio.wait([reading])
    await publisher.publish(numbered(5))
    assert await collect(subscription, 5) == numbered(5)
    assert attached.attachments == 1
