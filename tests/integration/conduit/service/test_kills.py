"""What becomes of clients whose service is killed, and started again."""

import asyncio
import time

import pytest

from conduitprocess import ConduitProcess
from eventually import eventually
from forebay.client.conduitservice import ConduitClient
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime import UnavailableError
from integration.conduit.service.following import collect, numbered

URI = "/plant/press/force"


@pytest.fixture
async def make_press(tmp_path, stack):
    """Start a service in a process of its own, and attach to it."""

    async def make(patience=120.0, **spec):
        press = ConduitProcess(tmp_path, **spec)
        await press.start()
        stack.push_async_callback(press.kill)
        client = await stack.enter_async_context(ConduitClient.connect(press.address))
        return press, await stack.enter_async_context(client.attach("test", patience=patience))

    return make


async def heard(edge, uri):
    """Wait until a node outside knows a subscriber of a URI."""
    register = edge.participant.node.declarations
    await edge.until(lambda: register.directory.reach_uri(uri).peers)


async def known(press, uri, kind):
    async with ConduitClient.connect(press.address) as client:
        return [each async for each in client.declarations(uri, kind=kind)]


async def test_all_that_was_declared_is_declared_again_after_the_service_was_killed(make_press, outside):
    press, attached = await make_press()
    edge = await outside(press.place)
    resource = await attached.resource("/plant/oven", rid=77)
    selection = await attached.selection("/edge/*")
    await attached.token("/alive/press")
    gone = await attached.token("/alive/no-more")
    publisher, of_oven = await attached.publisher(URI), await attached.publisher(resource.rid)
    subscription, selected = await attached.subscribe("/edge/**"), await attached.subscribe(selection.rid)
    await attached.undeclare(gone)
    await attached.answer("/recipe", answer)
    at_edge, oven = edge.subscribe(URI), edge.subscribe("/plant/oven")

    async def asked():
        replies = asyncio.Queue()
        edge.participant.query("/recipe", b"", time.monotonic(), replies.put_nowait)
        edge.advance()
        return (await replies.get()).payload

    async def exchange(first):
        await heard(edge, "/edge/lamp")
        await eventually(lambda: subscribed(press, URI, "/plant/oven"))
        assert (await publisher.publish(numbered(10, first))).accepted == 10
        assert (await of_oven.publish(numbered(10, first))).accepted == 10
        assert await collect(at_edge, 10) == await collect(oven, 10) == numbered(10, first)
        assert await asked() == b"flour"
        writing = edge.publisher("/edge/lamp")
        await writing.write(numbered(10, first))
        assert await collect(subscription, 10) == await collect(selected, 10) == numbered(10, first)

    await exchange(0)
    for turn in (1, 2):
        await press.kill()
        await press.start()
        await eventually(lambda turn=turn: attached.attachments == turn + 1, within=60)
        await exchange(100 * turn)
        tokens = await known(press, "/alive", pb.DECLARATION_KIND_LIVELINESS)
        assert [each.uri for each in tokens] == ["/alive/press"]
        rids = {(each.uri, each.rid) for each in await known(press, "/plant/oven", pb.DECLARATION_KIND_RESOURCE)}
        assert ("/plant/oven", 77) in rids


async def answer(query):
    return [("/recipe", b"flour")]


async def subscribed(press, *uris):
    found = {each.uri for each in await known(press, "/plant", pb.DECLARATION_KIND_SUBSCRIBER)}
    return found >= set(uris)


async def test_batches_without_an_outcome_are_sent_again_in_their_order_and_those_that_wait_behind(make_press):
    press, attached = await make_press()
    # It is not read yet: soon the service tells no more outcomes.
    subscription = await attached.subscribe(URI, slow=pb.SLOW_HOLD, queued_samples=100)
    publisher = await attached.publisher(URI)
    batches = [[b"%d" % number + bytes(1000) for number in range(first, first + 100)] for first in range(0, 4000, 100)]
    publishing = [asyncio.ensure_future(publisher.publish(batch)) for batch in batches]
    await asyncio.wait(publishing[:1])
    await press.kill()
    await press.start()
    reading = asyncio.ensure_future(upto(subscription, batches[-1][-1]))
    outcomes = await asyncio.gather(*publishing)
    assert {each.accepted for each in outcomes} == {100}
    again = [place for place, each in enumerate(outcomes) if each.again]
    assert again == list(range(again[0], again[-1] + 1))
    assert again[0] > 0
    expected = [sample for batch in batches[again[0] :] for sample in batch]
    assert (await reading)[-len(expected) :] == expected


async def upto(subscription, last):
    """All samples as far as one."""
    found = []
    async for delivery in subscription:
        found += delivery.samples
        if last in found:
            break
    return found


async def test_without_patience_a_client_is_told_that_the_service_was_killed(make_press):
    press, attached = await make_press(patience=0.0)
    subscription, publisher = await attached.subscribe(URI), await attached.publisher(URI)
    await press.kill()
    with pytest.raises(UnavailableError):
        await anext(subscription)
    with pytest.raises(UnavailableError):
        await publisher.publish([b"1"])
    with pytest.raises(UnavailableError):
        await attached.token("/alive")
