"""An announcer as a process of its own, to be killed and started again, with its configuration and its data folder.

It is forked from a process that has imported everything already, so that a start takes a tenth of a second.
"""

import asyncio
import multiprocessing
import os
import sys
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import grpc
import uvloop
from yarl import URL

from eventually import eventually
from forebay.announcer import service, tracker
from forebay.announcer.configuration import Surroundings
from forebay.announcer.forwarding import relay
from forebay.announcer.lasting.swarmkeeper import SwarmKeeper
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay.pb.announcer.v1.announcer_pb2_grpc import AnnouncerServiceStub
from forebay.runtime import DrainSettings, GrpcSettings, HostSettings, configure_logs, run
from forebay.runtime.document import ConfigDocument, decode, encode
from forebay.spill import SpillSettings
from ports import free_port

IDENTITY = ("default", "retracker")
API = "forebay.dev/v1alpha1"
TICK = 0.25
"""Seconds between two looks at the schedule, in place of 5."""
SNAPSHOT = 0.25
"""Seconds between two snapshots."""
Options = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What one run of the process is given."""

    folder: Path
    log: Path
    grpc_port: int
    http_port: int
    document: bytes = b""


def serve(plan: Plan) -> None:
    """Run the announcer until SIGTERM. The exit code is 0 after a drain."""
    with plan.log.open("ab") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    configure_logs("info", "json")
    relay.TICK = TICK
    tracker.SwarmKeeper = hasty_keeper  # type: ignore[misc,assignment]
    service.SpillSettings = partial(SpillSettings, lease_ttl=2.0, reconnect_max=0.5)  # type: ignore[misc]
    announcer = service.AnnouncerService(IDENTITY, plan.folder, Surroundings(lambda _: ""))
    settings = HostSettings(
        grpc=GrpcSettings(listen=f"127.0.0.1:{plan.grpc_port}"),
        http=f"127.0.0.1:{plan.http_port}",
        drain=DrainSettings(calls=5),
    )
    uvloop.run(run(announcer, settings, decode(1, plan.document)))


def hasty_keeper(table: Any, folder: Path, interval: float, clock: Any) -> SwarmKeeper:
    """Snapshots come more often than any spec may say."""
    return SwarmKeeper(table, folder, SNAPSHOT, clock)


def fork(plan: Plan) -> BaseProcess:
    """Start the process."""
    context = multiprocessing.get_context("forkserver")
    # The folder of tests is not on the path yet when these are imported.
    context.set_forkserver_preload(["__main__", service.__name__, "uvloop"])
    process = context.Process(target=serve, args=(plan,), daemon=True)
    process.start()
    return process


def padded(text: bytes) -> bytes:
    """20 octets that begin with the text."""
    return text.ljust(20, b".")


def quoted(value: object) -> str:
    """A value as clients put it into a query."""
    return "".join(f"%{octet:02x}" for octet in value) if isinstance(value, bytes) else str(value)


class AnnouncerProcess:
    """One Announcer; in between `start` and `close` its process may end and be started again."""

    def __init__(self, folder: Path, redis: str = "", **forwarding: Any) -> None:
        """`forwarding`: of the Announcer's spec. Without `redis` there is no Spill."""
        self.folder = folder / "data"
        self.port = free_port()
        self.forwarders: dict[str, Options] = {}
        self.redis = redis
        self.forwarding = forwarding
        self._uids = {"Spill": str(uuid4()), "Announcer": str(uuid4())}
        self._plan = Plan(self.folder, folder / "log", free_port(), free_port())
        self._process: BaseProcess | None = None
        self.http = aiohttp.ClientSession()

    def forwarder(self, name: str, url: str, **options: Any) -> None:
        """Describe a forwarder."""
        self.forwarders[name] = {"announcerRef": {"name": IDENTITY[1]}, "url": url, **options}

    async def start(self) -> None:
        """Start the process, and wait until it takes requests."""
        document = encode(ConfigDocument(1, tuple(self._manifests()), {}))
        self._process = await asyncio.to_thread(fork, replace(self._plan, document=document))
        await eventually(self._is_ready)

    async def kill(self) -> None:
        """End the process as `kill -9` does."""
        assert self._process is not None
        self._process.kill()
        await self._ended()

    async def stop(self) -> None:
        """End the process in order, by SIGTERM."""
        assert self._process is not None
        self._process.terminate()
        assert await self._ended() == 0, self.log_text()[-3000:]

    async def close(self) -> None:
        if self._process:
            await self.kill()
        await self.http.close()

    async def announce(self, torrent: bytes, peer: bytes = b"peer", **parameters: object) -> bytes:
        """Announce as a client does; the answer."""
        fields = {"info_hash": padded(torrent), "peer_id": padded(peer), "port": 6881, "left": 5, **parameters}
        query = "&".join(f"{name}={quoted(value)}" for name, value in fields.items())
        return await self._page(f"http://127.0.0.1:{self.port}/announce?{query}")

    async def queue(self) -> pb.GetQueueResponse:
        async with self._channel() as channel:
            return await AnnouncerServiceStub(channel).GetQueue(pb.GetQueueRequest())

    async def conditions(self) -> dict[str, str]:
        """Each forwarder's condition and reason."""
        async with self._channel() as channel:
            listed = await AnnouncerServiceStub(channel).ListForwarders(pb.ListForwardersRequest())
        names = pb.ForwarderCondition.Name
        return {
            each.name: f"{names(each.condition).removeprefix('FORWARDER_CONDITION_')} {each.reason}".strip()
            for each in listed.forwarders
        }

    async def enable(self, name: str) -> None:
        async with self._channel() as channel:
            await AnnouncerServiceStub(channel).EnableForwarder(pb.EnableForwarderRequest(name=name))

    def log_text(self) -> str:
        return self._plan.log.read_text()

    def _channel(self) -> grpc.aio.Channel:
        # A pool of its own: else the back-off of the calls to the process before it would go on.
        return grpc.aio.insecure_channel(f"127.0.0.1:{self._plan.grpc_port}", [("grpc.use_local_subchannel_pool", 1)])

    def _manifests(self) -> list[Options]:
        listeners = {"http": {"port": self.port}, "udp": {"port": self.port}}
        spec: Options = {"listeners": listeners, "forwarding": self.forwarding}
        if self.redis:
            spec["spillRef"] = {"name": "main"}
        spills = [self._manifest("Spill", "main", {"url": self.redis})] if self.redis else []
        forwarders = [self._manifest("Forwarder", name, spec) for name, spec in self.forwarders.items()]
        return [*spills, self._manifest("Announcer", IDENTITY[1], spec), *forwarders]

    def _manifest(self, kind: str, name: str, spec: Options) -> Options:
        metadata = {"name": name, "namespace": IDENTITY[0], "uid": self._uids.get(kind, name)}
        return {"apiVersion": API, "kind": kind, "metadata": metadata, "spec": spec}

    async def _is_ready(self) -> bool:
        assert self._process is not None
        if not self._process.is_alive():
            raise RuntimeError(f"the announcer ended with {self._process.exitcode}: {self.log_text()[-3000:]}")
        try:
            await self._page(f"http://127.0.0.1:{self._plan.http_port}/readyz")
        except aiohttp.ClientError:
            return False
        return True

    async def _page(self, url: str) -> bytes:
        async with self.http.get(URL(url, encoded=True)) as answer:
            answer.raise_for_status()
            return await answer.read()

    async def _ended(self) -> int | None:
        assert self._process is not None
        await asyncio.to_thread(self._process.join, 60)
        code = self._process.exitcode
        self._process.close()
        self._process = None
        return code
