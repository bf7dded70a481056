"""A program with zenoh, on loopback: what it receives, and a session to publish by."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import zenoh

ALONE = {"multicast": {"enabled": False}, "gossip": {"enabled": False}}
"""It looks for nobody."""


class Program:
    """A router of zenoh that others connect to."""

    def __init__(self, place: str, loop: asyncio.AbstractEventLoop) -> None:
        config = zenoh.Config()
        for key, value in {
            "mode": "router",
            "listen/endpoints": [place],
            "scouting": ALONE,
            "transport/shared_memory/enabled": False,
        }.items():
            config.insert_json5(key, json.dumps(value))
        self.loop = loop
        self.received: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self.session = zenoh.open(config)
        self.session.declare_subscriber("**", self._take, allowed_origin=zenoh.Locality.REMOTE)

    def _take(self, sample: zenoh.Sample) -> None:
        # The session may say something after the test is over.
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.received.put_nowait, (str(sample.key_expr), sample.payload.to_bytes()))


@asynccontextmanager
async def program(place: str) -> AsyncIterator[Program]:
    """One that listens at a place, as tcp/127.0.0.1:7447."""
    made = await asyncio.to_thread(Program, place, asyncio.get_running_loop())
    try:
        yield made
    finally:
        await asyncio.to_thread(made.session.close)
