"""A TCP address on loopback that leads to where a test says, as a name whose address changes does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fakeclock import settle


class Forwarder:
    """Connections stay with the target that they were made to; later ones go to the target of then."""

    def __init__(self, target: str = "") -> None:
        """`target` is `host:port`; empty: connections are taken, and nothing answers."""
        self.target = target
        self.address = ""
        self.connections = 0
        """How many were made so far."""
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.get_running_loop().create_task(self._lead(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # One that is cancelled before it has begun closes nothing.
        task.add_done_callback(lambda _: writer.close())

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            if not self.target:
                await reader.read(-1)
                return
            host, _, port = self.target.rpartition(":")
            back, forth = await asyncio.open_connection(host, int(port))
            try:
                await asyncio.gather(pump(reader, forth), pump(back, writer))
            finally:
                forth.close()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carry all that comes; when one way ends, so does the other."""
    try:
        while octets := await reader.read(1 << 16):
            writer.write(octets)
            await writer.drain()
    finally:
        writer.close()


@asynccontextmanager
async def forwarder(target: str = "") -> AsyncIterator[Forwarder]:
    made = Forwarder(target)
    server = await asyncio.start_server(made.take, "127.0.0.1", 0)
    made.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        server.close()
        # Connections that are being taken come in yet, and are closed at once.
        await settle()
        await made.close()
        await settle()
