"""An announcer that is forked from a process which has imported everything already, and that looks more often.

So a start takes a tenth of a second, and a test that kills it several times does not take long.
"""

import asyncio
import multiprocessing
import os
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import uvloop
from yarl import URL

from announcerserver import NAME, NAMESPACE, AnnouncerServer
from eventually import eventually
from forebay.announcer import service, tracker
from forebay.announcer.configuration import Surroundings
from forebay.announcer.forwarding import relay
from forebay.announcer.lasting.swarmkeeper import SwarmKeeper
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay.runtime import DrainSettings, GrpcSettings, HostSettings, configure_logs, run
from forebay.runtime.document import ConfigDocument, decode, encode
from forebay.spill import SpillSettings

TICK = 0.25
"""Seconds between two looks at the schedule, in place of 5."""
SNAPSHOT = 0.25
"""Seconds between two snapshots."""


@dataclass(frozen=True)
class Plan:
    """What one run of the process is given."""

    folder: Path
    log: Path
    grpc_port: int
    http_port: int
    document: bytes


class HastyKeeper(SwarmKeeper):
    """Writes more often than any spec may say."""

    interval = property(lambda self: SNAPSHOT, lambda self, seconds: None)  # type: ignore[assignment]


def serve(plan: Plan) -> None:
    """Run the announcer until SIGTERM. The exit code is 0 after a drain."""
    with plan.log.open("ab") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    configure_logs("info", "json")
    relay.TICK = TICK
    tracker.SwarmKeeper = HastyKeeper  # type: ignore[misc]
    service.SpillSettings = partial(SpillSettings, lease_ttl=2.0, reconnect_max=0.5)  # type: ignore[misc]
    announcer = service.AnnouncerService((NAMESPACE, NAME), plan.folder, Surroundings(lambda _: ""))
    settings = HostSettings(
        grpc=GrpcSettings(listen=f"127.0.0.1:{plan.grpc_port}"),
        http=f"127.0.0.1:{plan.http_port}",
        drain=DrainSettings(calls=5),
    )
    uvloop.run(run(announcer, settings, decode(1, plan.document)))


class Forked:
    """A run of the process."""

    def __init__(self, plan: Plan) -> None:
        self._log = plan.log
        context = multiprocessing.get_context("forkserver")
        # The folder of tests is not on the path yet when these are imported.
        context.set_forkserver_preload(["__main__", service.__name__, "uvloop"])
        self.process = context.Process(target=serve, args=(plan,), daemon=True)
        self.process.start()

    @property
    def running(self) -> bool:
        return self.process.is_alive()

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self.process.kill()
        self.process.join()

    def stop(self) -> None:
        """End it by SIGTERM; it has to end well."""
        self.process.terminate()
        self.process.join(60)
        assert self.process.exitcode == 0, self.tail()

    def tail(self) -> str:
        return self._log.read_text()[-3000:]


class HastyAnnouncer(AnnouncerServer):
    """In between `start` and `close` its process may end and be started again."""

    def __init__(self, folder: Path, redis: str = "", **spec: Any) -> None:
        super().__init__(folder, redis, **spec)
        self.data = folder / "data"
        self.http = aiohttp.ClientSession()
        self.run: Forked | None = None

    async def start(self) -> None:
        """Start the process, and wait until it takes requests."""
        document = encode(ConfigDocument(1, tuple(self.manifests()), {}))
        plan = Plan(self.data, self.folder / "log", self.grpc_port, self.health_port, document)
        self.run = await asyncio.to_thread(Forked, plan)
        await eventually(self._is_ready)

    async def kill(self) -> None:
        """End the process as `kill -9` does."""
        assert self.run is not None
        await asyncio.to_thread(self.run.kill)

    async def stop(self) -> None:
        """End the process in order."""
        assert self.run is not None
        await asyncio.to_thread(self.run.stop)

    async def close(self) -> None:
        if self.run and self.run.running:
            await self.kill()
        await self.http.close()

    async def announce(self, torrent: bytes, peer: bytes = b"peer", **parameters: object) -> bytes:
        """Announce as a client does; the answer."""
        fields = {"info_hash": padded(torrent), "peer_id": padded(peer), "port": 6881, "left": 5, **parameters}
        query = "&".join(f"{name}={quoted(value)}" for name, value in fields.items())
        async with self.http.get(URL(f"{self.url()}?{query}", encoded=True)) as answer:
            return await answer.read()

    async def queue(self) -> pb.GetQueueResponse:
        async with self.client() as client:
            return await client.queue()

    async def conditions(self) -> dict[str, str]:
        """The condition of each forwarder."""
        async with self.client() as client:
            listed = await client.forwarders()
        name = pb.ForwarderCondition.Name
        return {each.name: name(each.condition).removeprefix("FORWARDER_CONDITION_") for each in listed}

    async def _is_ready(self) -> bool:
        assert self.run is not None
        if not self.run.running:
            raise RuntimeError(f"the announcer ended by itself: {self.run.tail()}")
        try:
            async with self.http.get(f"http://127.0.0.1:{self.health_port}/readyz") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False


def padded(text: bytes) -> bytes:
    """20 octets that begin with the text."""
    return text.ljust(20, b".")


def quoted(value: object) -> str:
    """A value as clients put it into a query."""
    return "".join(f"%{octet:02x}" for octet in value) if isinstance(value, bytes) else str(value)
