"""Extras between nodes of our own kind on real sockets."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest

from eventually import eventually
from forebay.client.conduit import ConduitNodeSettings, Node
from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationKind

FAST = {"listen": "udp/127.0.0.1:0", "scout_interval": 0.1}


@pytest.fixture
async def stack():
    async with AsyncExitStack() as exits:
        yield exits


async def test_queries_are_answered_and_tokens_told():
    events = []
    async with Node(ConduitNodeSettings(**FAST), on_declaration=events.append) as asking:
        seek = "udp/{}:{}".format(*asking.address)
        async with Node(ConduitNodeSettings(**FAST, peers=(seek,))) as answering:
            answering.participant.declare_queryable("/shelf/*", lambda _: [("/shelf/a", b"book")])
            answering.participant.declare_token("/alive/shelf", time.monotonic())
            answering.advance()
            await asking.until(lambda: any(event.kind is DeclarationKind.LIVELINESS for event in events))
            answers = asyncio.Queue()
            asking.participant.query("/shelf/*", b"", time.monotonic(), answers.put_nowait)
            asking.advance()
            answer = await answers.get()
            assert (answer.uri, answer.payload) == ("/shelf/a", b"book")
            assert (await answers.get()).final
        await asking.until(lambda: events[-1].change is DeclarationChange.FORGOTTEN)
        assert events[-1].uri == "/alive/shelf"


async def test_nodes_with_a_key_exchange_samples_and_let_nobody_else_in(stack):
    keys = {"keys": {7: b"sixteen octets or more"}}
    reader = await stack.enter_async_context(Node(ConduitNodeSettings(**FAST, **keys)))
    seek = ("udp/{}:{}".format(*reader.address),)
    writer, *others = [
        await stack.enter_async_context(Node(ConduitNodeSettings(**FAST, peers=seek, **own)))
        for own in (keys, {}, {"keys": {7: b"sixteen other octets"}}, {"keys": {8: b"sixteen octets or more"}})
    ]
    subscription = reader.subscribe("/sealed")
    register = writer.participant.node.declarations
    await writer.until(lambda: register.directory.reach_uri("/sealed").peers)
    sample = bytes(1 << 20)
    assert await writer.publisher("/sealed").write([sample]) == 1
    assert (await anext(subscription)).payloads == [sample]
    refused = reader.participant.node.sealing.refused
    await eventually(lambda: refused.total() >= 3 * len(others))
    assert set(reader.peers) == {writer.peer_id}
    assert [each.peers for each in others] == [{}, {}, {}]


async def test_who_subscribes_late_gets_the_last_samples(stack):
    writer = await stack.enter_async_context(Node(ConduitNodeSettings(**FAST)))
    publisher = writer.publisher("/last", history=3)
    await publisher.write([b"1", b"2", b"3", b"4"])
    seek = ("udp/{}:{}".format(*writer.address),)
    reader = await stack.enter_async_context(Node(ConduitNodeSettings(**FAST, peers=seek)))
    found = []
    async for delivery in reader.subscribe("/last", history=2):
        found += delivery.payloads
        if len(found) == 2:
            await publisher.write([b"5"])
        if len(found) == 3:
            break
    assert found == [b"3", b"4", b"5"]
