"""A store as a test holds it: a process with its configuration, its data folder, and a client of it.

The process is forked from one that has imported everything already, so that a start takes a tenth of a second.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import uvloop
from prometheus_client.parser import text_string_to_metric_families

from eventually import eventually
from forebay.client import ConfigClient, Store
from forebay.pb.config.v1 import config_pb2
from forebay.runtime import (
    ClientChannel,
    DrainSettings,
    GrpcSettings,
    HostSettings,
    KubeApi,
    KubeLease,
    LeaseSettings,
    SystemClock,
    configure_logs,
    run,
)
from forebay.runtime.document import ConfigDocument, decode, encode
from forebay.runtime.grpcserver import LARGE_MESSAGE_LIMIT
from forebay.store import service
from forebay.store.queueing.hub import open_hub
from forebay.store.standby.pod import Cluster
from ports import free_port

IDENTITY = ("default", "main")
API = "forebay.dev/v1alpha1"
DEPOSED = "primary no more: the process ends"
"""What the log says then."""
Options = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What one run of the process is given."""

    folder: Path
    """Data, which stays from run to run."""
    log: Path
    """JSON lines are appended."""
    grpc_port: int
    http_port: int
    revision: int = 1
    document: bytes = b""
    pods: "Pods | None" = None


@dataclass(frozen=True)
class Pods:
    """For a store of several pods: who this one is, and where the others and the lease are."""

    name: str
    ports: dict[str, int]
    """gRPC ports of all pods, by name."""
    api: str
    """URL of the API server."""
    account: Path
    """Folder of the service account."""
    lease: LeaseSettings = field(default_factory=lambda: LeaseSettings(seconds=3.0))

    def cluster(self) -> Cluster:
        clock = SystemClock()
        record = KubeLease(KubeApi(self.api, self.account), IDENTITY[0], IDENTITY[1], clock)
        return Cluster(self.name, min(self.ports), record, self.connect, self.address, self.peers, "", self.lease)

    def address(self, name: str) -> str:
        return f"127.0.0.1:{self.ports[name]}"

    def connect(self, name: str) -> ClientChannel:
        return ClientChannel(f"dns:///{self.address(name)}")

    def peers(self, mirrors: int) -> list[str]:
        return [name for name in sorted(self.ports)[: mirrors + 1] if name != self.name]


def fork(plan: Plan) -> BaseProcess:
    """Start the process."""
    context = multiprocessing.get_context("forkserver")
    # The folder of tests is not on the path yet when these are imported.
    context.set_forkserver_preload(["__main__", service.__name__, "uvloop"])
    process = context.Process(target=serve, args=(plan,), daemon=True)
    process.start()
    return process


def serve(plan: Plan) -> None:
    """Run the store until SIGTERM. The exit code is 0 after a drain, 1 after a failure, which the log tells."""
    with plan.log.open("ab") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    configure_logs("info", "json")
    grpc = GrpcSettings(
        listen=f"127.0.0.1:{plan.grpc_port}", receive_limit=LARGE_MESSAGE_LIMIT, send_limit=LARGE_MESSAGE_LIMIT
    )
    settings = HostSettings(grpc=grpc, http=f"127.0.0.1:{plan.http_port}", drain=DrainSettings(calls=5))
    uvloop.run(host(plan, settings))


async def host(plan: Plan, settings: HostSettings) -> None:
    cluster = plan.pods.cluster() if plan.pods else None
    store = service.StoreService(IDENTITY, plan.folder, open_hub, cluster=cluster)
    await run(store, settings, decode(plan.revision, plan.document))


class StoreServer:
    """One Store. `start` and `close` frame its use; in between its process may end and be started again."""

    def __init__(self, folder: Path, **spec: Any) -> None:
        """`spec` is that of the Store. Its data is in `folder` / "data"."""
        self.folder = folder
        self.spec: Options = spec
        self.queues: dict[str, Options] = {}
        """Specs of its queues, by name."""
        self.uids: defaultdict[str, str] = defaultdict(lambda: str(uuid4()))
        self.process: BaseProcess | None = None
        self._plan = Plan(folder / "data", folder / "log", free_port(), free_port())
        self._revisions = count(1)

    def join(self, pods: Pods) -> None:
        """Be one of several pods."""
        self._plan = replace(self._plan, pods=pods, grpc_port=pods.ports[pods.name])

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._plan.grpc_port}"

    @property
    def data(self) -> Path:
        return self._plan.folder

    # Configuration

    def queue(self, name: str, **spec: Any) -> None:
        """Describe a queue."""
        self.queues[name] = {"storeRef": {"name": IDENTITY[1]}, **spec}

    def manifests(self) -> list[Options]:
        queues = [self._manifest("StoreQueue", name, spec) for name, spec in self.queues.items()]
        return [self._manifest("Store", IDENTITY[1], self.spec), *queues]

    def _manifest(self, kind: str, name: str, spec: Options) -> Options:
        metadata = {"name": name, "namespace": IDENTITY[0], "uid": self.uids[f"{kind}/{name}"]}
        return {"apiVersion": API, "kind": kind, "metadata": metadata, "spec": spec}

    async def apply(self) -> config_pb2.ApplyResponse:
        """Send the configuration, as it is described now, to the running service."""
        async with ConfigClient.connect(self.address) as client:
            return await client.apply(ConfigDocument(next(self._revisions), tuple(self.manifests())))

    def forget(self, queue: str) -> None:
        """Describe a queue no more; one of the same name is another from then on."""
        del self.queues[queue], self.uids[f"StoreQueue/{queue}"]

    # Process

    async def start(self) -> None:
        """Start the process, and wait until it takes requests."""
        document = encode(ConfigDocument(1, tuple(self.manifests())))
        self._plan = replace(self._plan, revision=next(self._revisions), document=document)
        self.process = await asyncio.to_thread(fork, self._plan)
        await eventually(self._is_ready, within=60)

    async def _is_ready(self) -> bool:
        assert self.process is not None
        if not self.process.is_alive():
            raise RuntimeError(f"the store ended with {self.process.exitcode}: {self.log_text()[-3000:]}")
        with suppress(aiohttp.ClientError):
            status, _ = await self.page("readyz")
            return status == 200
        return False

    def freeze(self) -> None:
        """Have the process do nothing until `thaw`."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def kill_now(self) -> None:
        """Send SIGKILL; `kill` waits for the end too."""
        self._signal(signal.SIGKILL)

    async def kill(self) -> None:
        """End the process as `kill -9` does."""
        self.kill_now()
        await self.ended()

    def terminate(self) -> None:
        """Send SIGTERM."""
        assert self.process is not None
        self.process.terminate()

    async def ended(self) -> int:
        """Wait until the process has ended; its exit code."""
        assert self.process is not None
        await asyncio.to_thread(self.process.join, 60)
        assert self.process.exitcode is not None, "it does not end"
        return self.process.exitcode

    async def stop(self) -> int:
        """End the process gracefully; its exit code."""
        self.terminate()
        return await self.ended()

    async def close(self) -> None:
        """End the process if it still runs."""
        if self.process and self.process.is_alive():
            code = await self.stop()
            assert code == 0, self.log_text()[-3000:]

    # Looking

    @property
    def is_deposed(self) -> bool:
        """Whether the process has ended since it lost the lease of its store."""
        return self.process is not None and self.process.exitcode == 1 and DEPOSED in self.log_text()[-1000:]

    def log_text(self) -> str:
        return self._plan.log.read_text() if self._plan.log.exists() else ""

    async def page(self, name: str) -> tuple[int, str]:
        """Status and text of a page of the HTTP port."""
        url = f"http://127.0.0.1:{self._plan.http_port}/{name}"
        async with aiohttp.ClientSession() as http, http.get(url) as response:
            return response.status, await response.text()

    async def metrics(self) -> dict[tuple[str, ...], float]:
        """Values by name and the values of labels."""
        _, text = await self.page("metrics")
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def client(self) -> Store:
        """A client, to be used within `async with`."""
        return Store.connect(self.address)
