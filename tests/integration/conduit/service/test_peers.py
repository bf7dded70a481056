"""Peers of a service: who comes and goes, queries, and sessions that are ended."""

import asyncio
import time

import pytest

from eventually import eventually
from forebay.client.conduit import ConduitNodeSettings, Node
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime import InvalidArgumentError, NotFoundError, UnimplementedError
from integration.conduit.service.following import collect, peers, subscribed
from ports import free_port

CHANGES = {
    pb.PEER_CHANGE_CONNECTED: "connected",
    pb.PEER_CHANGE_DISCONNECTED: "disconnected",
    pb.PEER_CHANGE_RECONNECTED: "reconnected",
}


class Watch:
    """Follows the peers of a service."""

    def __init__(self, client):
        self.seen = []
        self.task = asyncio.ensure_future(self.follow(client))

    async def follow(self, client):
        async for events in client.watch_peers():
            self.seen += events

    async def until(self, *changes):
        """Wait until these changes have come, one after the other."""

        def came():
            return [CHANGES[event.change] for event in self.seen][: len(changes)] == list(changes)

        await eventually(came)
        return self.seen


@pytest.fixture
async def watch(stack):
    async def begin(server):
        client = await stack.enter_async_context(server.client())
        following = Watch(client)
        stack.callback(following.task.cancel)
        return following

    return begin


async def test_a_peer_that_restarts_within_its_lease_is_told_as_reconnected(make_node, watch):
    press = make_node()
    await press.start()
    following = await watch(press)
    settings = ConduitNodeSettings(
        listen=f"udp/127.0.0.1:{press.udp_port + 1}", peers=(press.place,), scout_interval=0.1, lease=60
    )
    first = Node(settings)
    await first.__aenter__()
    [event] = await following.until("connected")
    assert event.peer_id == first.peer_id
    # It dies: nobody is told.
    await first._station.engine._close()
    async with Node(settings) as second:
        events = await following.until("connected", "reconnected")
        assert (events[1].peer_id, events[1].previous) == (second.peer_id, first.peer_id)
        assert events[1].address == f"udp/127.0.0.1:{press.udp_port + 1}"
    events = await following.until("connected", "reconnected", "disconnected")
    assert events[2].reason
    await first.__aexit__(None, None, None)


async def test_one_that_keeps_its_id_is_told_as_reconnected_too_and_its_samples_come(make_node, outside, watch, attach):
    press = make_node(lease="60s")
    await press.start()
    listen = f"udp/127.0.0.1:{press.udp_port + 1}"
    subscription = await (await attach(press)).subscribe("/edge")
    following = await watch(press)
    expected = ["connected"]
    for turn in range(4):
        node = Node(ConduitNodeSettings(listen, peers=(press.place,), scout_interval=0.1, lease=60, peer_id=b"edge"))
        await node.__aenter__()
        await following.until(*expected)
        await node.until(lambda node=node: subscribed(node))
        await node.publisher("/edge").write([b"%d" % turn])
        assert await collect(subscription, 1) == [b"%d" % turn]
        # It dies: nobody is told.
        await node._station.engine._close()
        expected.append("reconnected")


async def test_whoever_watches_is_told_first_of_those_that_are_there(make_node, outside, watch):
    press = make_node()
    await press.start()
    edge = await outside(press.place)
    await peers(press, 1)
    [event] = await (await watch(press)).until("connected")
    assert event.peer_id == edge.peer_id
    assert event.HasField("time")


@pytest.mark.parametrize("by", ["peer_id", "address"])
async def test_a_session_is_closed(make_node, outside, watch, by):
    press = make_node()
    await press.start()
    edge = await outside(press.place)
    [peer] = await peers(press, 1)
    following = await watch(press)
    await following.until("connected")
    async with press.client() as client:
        assert await client.close_session(**{by: getattr(peer, by)}, reason="out of order") == edge.peer_id
    events = await following.until("connected", "disconnected", "connected")
    assert events[1].reason == "out of order"


async def test_a_session_that_there_is_not_cannot_be_closed(make_node):
    press = make_node()
    await press.start()
    async with press.client() as client:
        for who in ({"peer_id": b"nobody"}, {"address": "udp/127.0.0.1:9"}, {"address": "nowhere"}):
            with pytest.raises(NotFoundError, match="no session with a peer of"):
                await client.close_session(**who)


async def test_peers_are_asked_and_their_answers_come(make_node, outside):
    press = make_node()
    await press.start()
    edges = [await outside(press.place) for _ in range(2)]
    for number, edge in enumerate(edges):
        answers = [(f"/recipe/{number}", b"flour"), ("/recipe/all", asked_for(number))]
        edge.participant.declare_queryable("/recipe/*", lambda _, answers=answers: answers)
    await peers(press, 2)
    async with press.client() as client:
        responses = [response async for response in client.query("/recipe/*", b"?")]
    replies = [reply for response in responses for reply in response.replies]
    assert sorted((reply.uri, reply.payload) for reply in replies) == [
        ("/recipe/0", b"flour"),
        ("/recipe/1", b"flour"),
        ("/recipe/all", b"0"),
        ("/recipe/all", b"1"),
    ]
    assert {reply.peer_id for reply in replies} == {edge.peer_id for edge in edges}
    assert responses[-1].end
    assert not responses[-1].unanswered


def asked_for(number):
    return str(number).encode()


async def test_peers_that_do_not_answer_in_time_are_named(make_node, outside):
    press = make_node()
    await press.start()
    edge = await outside(press.place)
    edge.participant.declare_queryable("/recipe/*", lambda _: None)
    await peers(press, 1)
    async with press.client() as client:
        responses = [response async for response in client.query("/recipe/*", deadline=0.2)]
    assert list(responses[-1].unanswered) == [edge.peer_id]


async def test_what_cannot_be_asked_is_refused(make_node, outside):
    press = make_node(extras={"queries": False})
    await press.start()
    await outside(press.place)
    await peers(press, 1)
    async with press.client() as client:
        with pytest.raises(UnimplementedError, match="has not agreed on queries"):
            [response async for response in client.query("/recipe/*")]
        with pytest.raises(InvalidArgumentError, match="does not start with /"):
            [response async for response in client.query("recipe")]
        with pytest.raises(InvalidArgumentError, match="deadline is 1000 s: give more than 0, and at most 300"):
            [response async for response in client.query("/recipe", deadline=1000)]


async def test_a_node_tells_how_it_is(make_node, outside, attach):
    press = make_node(peerId="0a1b2c", lease="7s", listeners={"tcp": {"port": free_port()}})
    await press.start()
    edge = await outside(press.place)
    await peers(press, 1)
    attached = await attach(press)
    await attached.publisher("/plant/press")
    await attached.subscribe("/plant/**")
    async with press.client() as client:
        node = await client.node()
    assert node.peer_id == bytes.fromhex("0a1b2c")
    assert (node.clients, node.publishers, node.subscribers) == (1, 1, 1)
    assert node.address == press.place
    [peer] = node.peers
    assert peer.peer_id == edge.peer_id
    assert peer.lease.ToMilliseconds() == 5000
    assert abs(peer.since.ToSeconds() - time.time()) < 60
    assert set(peer.extras) == {"queries", "liveliness", "history", "fragments"}
    assert node.resources == 2


async def test_declarations_come_by_pages_and_by_what_is_wanted(make_node, outside, attach):
    press = make_node()
    await press.start()
    edge = await outside(press.place)
    subscriptions = [edge.subscribe(f"/edge/{number:03}") for number in range(250)]
    attached = await attach(press)
    await attached.subscribe("/press/**")

    async def known():
        async with press.client() as client:
            return [each async for each in client.declarations()]

    assert len(subscriptions) == 250
    found = await eventually(lambda: enough(known, 502))
    uris = [each.uri for each in found]
    assert uris == sorted(uris)
    async with press.client() as client:
        own = (await client.node()).peer_id
        kind = pb.DECLARATION_KIND_SUBSCRIBER
        assert len([each async for each in client.declarations("/edge/01", kind=kind)]) == 10
        mine = [each async for each in client.declarations(peer_id=own, kind=kind)]
        assert [(each.uri, each.mode) for each in mine] == [("/press/**", pb.SUBSCRIPTION_MODE_PUSH)]
        theirs = [each async for each in client.declarations(peer_id=edge.peer_id)]
        assert len(theirs) == 500


async def enough(look, count):
    found = await look()
    assert len(found) >= count
    return found
