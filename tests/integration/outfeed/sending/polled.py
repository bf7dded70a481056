"""A connection with an owner that does no more than it must."""

import asyncio
import contextlib

from eventually import eventually
from forebay.outfeed.sending.connection import Connection
from forebay.outfeed.sending.connectionsettings import ConnectionSettings


@contextlib.asynccontextmanager
async def polled(feed, port, login=None, **settings):
    """A connection to 127.0.0.1:`port`, polled as by its owner, only oftener; it is closed at the end."""
    connection = Connection(feed, ConnectionSettings(**settings), login)
    polling = asyncio.create_task(poll(connection))
    try:
        await connection.connect("127.0.0.1", port)
        yield connection
    finally:
        polling.cancel()
        connection.close("end of test")


async def poll(connection):
    while True:
        connection.poll(asyncio.get_running_loop().time())
        await asyncio.sleep(0.1)


async def settled(feed, count):
    """Wait until `count` articles are settled, or the connection ended; returns the outcomes by message-id."""
    await eventually(lambda: len(feed.settled) >= count or feed.reason)
    return feed.outcomes


async def ended(feed):
    """Wait until the connection ended; returns the reason."""
    async with asyncio.timeout(30):
        await feed.is_down.wait()
    return feed.reason
