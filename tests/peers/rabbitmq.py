"""A real RabbitMQ (Debian's rabbitmq-server), through the script that runs it on loopback with a folder of its own."""

import asyncio
import os
import random
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from peers.process import run
from ports import free_port

PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
OFFSETS = (0, 10_000, 10_020, 20_000)
"""Of the ports of AMQP, management, metrics and Erlang's own, from the first."""
LOGIN = "guest:guest"


class RabbitMq:
    """One broker on 127.0.0.1:`port`, its files below `folder`, which the user rabbitmq must be able to walk into."""

    def __init__(self, script: Path, folder: Path) -> None:
        self.script = script
        self.folder = folder
        self.port = free_ports()
        self._environment = {"EPMD_PORT": str(free_port())}

    @property
    def uri(self) -> str:
        return f"amqp://{LOGIN}@127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The process of the broker itself."""
        return int((self.folder / "node.pid").read_text())

    async def start(self) -> None:
        """Start it and wait until it is ready, about 7 s; queues of an earlier start are kept."""
        try:
            await self._call("start", self.folder, self.port)
        except AssertionError:  # a busy machine may take longer than is waited for
            await self.stop()
            await self._call("start", self.folder, self.port)

    async def stop(self) -> None:
        """End it and wait for that; nothing happens when it is not running."""
        await self._call("stop", self.folder)

    async def delete(self, queue: str) -> None:
        """Delete a queue with its messages."""
        url = f"http://127.0.0.1:{self.port + OFFSETS[1]}/api/queues/%2F/{queue}"
        await run("curl", "--silent", "--fail", "--user", LOGIN, "--request", "DELETE", url)

    async def _call(self, verb: str, *arguments: object) -> str:
        return await run("sh", self.script, verb, *arguments, environment=self._environment)


def lacking(script: Path) -> str:
    """What is missing here to run a RabbitMQ, with the remedy; empty when nothing is."""
    if not PROGRAM.exists():
        return "needs RabbitMQ: apt-get install --no-install-recommends rabbitmq-server"
    if os.geteuid() != 0:
        return "needs root, to run RabbitMQ as the user rabbitmq"
    return "" if script.is_file() else f"needs {script.name} in the folder that FOREBAY_SHARED names"


@contextmanager
def broker_folder(parent: Path | None = None) -> Iterator[Path]:
    """A folder that the user rabbitmq can walk into, gone at the end."""
    with tempfile.TemporaryDirectory(prefix="rabbitmq-", dir=parent, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@asynccontextmanager
async def run_rabbitmq(script: Path, parent: Path | None = None) -> AsyncIterator[RabbitMq]:
    """One running broker with its data on disk, in a folder of `parent`."""
    with broker_folder(parent) as folder:
        broker = RabbitMq(script, folder)
        try:
            await broker.start()
            yield broker
        finally:
            await asyncio.shield(broker.stop())


def free_ports() -> int:
    """A port that is free together with those that the broker derives from it."""
    while True:
        port = random.randrange(20_000, 30_000)
        if all(map(is_free, (port + offset for offset in OFFSETS))):
            return port


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
