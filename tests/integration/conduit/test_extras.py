"""Extras between nodes of our own kind on real sockets."""

import asyncio
import time

from forebay.client.conduit import ConduitNodeSettings, Node
from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationKind

FAST = {"listen": "udp/127.0.0.1:0", "scout_interval": 0.1}


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
