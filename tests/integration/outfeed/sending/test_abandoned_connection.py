"""A connection that is given up while it is being made takes nothing with it that is not its own."""

import asyncio
import gc
import os
import socket

import pytest
import uvloop

from eventually import eventually
from forebay.outfeed.sending.connection import Connection, Phase
from forebay.outfeed.sending.connectionsettings import ConnectionSettings
from recordingfeed import RecordingFeed

new_event_loop = uvloop.new_event_loop
"""The loop that the services use; with a socket of our own it closes the descriptor of an aborted transport itself."""

TURNS = range(12)
"""Of the event loop, after which the connection is given up; the last ones are after it is made."""


class Server(asyncio.Protocol):
    """The far end of all connections."""

    def __init__(self) -> None:
        self.open = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.open += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self.open -= 1


@pytest.fixture
async def far_end():
    far_end = Server()
    server = await asyncio.get_running_loop().create_server(lambda: far_end, "127.0.0.1", 0)
    far_end.port = server.sockets[0].getsockname()[1]
    yield far_end
    server.close()


@pytest.mark.parametrize("turns", TURNS)
async def test_its_descriptor_is_closed_and_not_closed_twice(far_end, turns):
    connection = Connection(RecordingFeed(), ConnectionSettings())
    connecting = asyncio.create_task(connection.connect("127.0.0.1", far_end.port))
    for _ in range(turns):
        await asyncio.sleep(0)
    connection.close("the settings changed")
    await connecting
    assert connection.phase is Phase.ENDED
    await eventually(lambda: not far_end.open)
    # They get the numbers that have become free.
    pairs = [socket.socketpair() for _ in range(20)]
    del connection, connecting
    for _ in range(3):
        await asyncio.sleep(0)
        gc.collect()
    try:
        for pair in pairs:
            for end in pair:
                os.fstat(end.fileno())
    finally:
        for pair in pairs:
            for end in pair:
                end.close()
