"""A conduit service as a test holds it: hosted in the test's own process, configured by manifests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from forebay.client import ConfigClient
from forebay.client.conduitservice import ConduitClient
from forebay.conduit.configuration import Surroundings
from forebay.conduit.service import ConduitNodeService
from forebay.pb.config.v1 import config_pb2
from forebay.runtime import DrainSettings, GrpcSettings, Host, HostSettings
from forebay.runtime.document import ConfigDocument
from forebay.runtime.secret import Secret
from ports import free_port

NAMESPACE = "default"
API = "forebay.dev/v1alpha1"
FAST = {"scouting": {"interval": "100ms"}}


class ConduitServer:
    """One ConduitNode."""

    def __init__(self, folder: Path, name: str, redis: str = "", **spec: Any) -> None:
        """`redis`: URL of its Spill; empty: it has none."""
        self.folder = folder
        self.name = name
        self.grpc_port, self.health_port, self.udp_port = free_port(), free_port(), free_port()
        self.redis = redis
        self.spec = FAST | spec | ({"spillRef": {"name": "spill"}} if redis else {})
        self.durability = "everysec"
        """Of its Spill."""
        self.keys: dict[str, str] = {}
        """Of the Secret `keys`."""
        self.uids: dict[str, str] = {}
        self.revision = 1
        self.running = False
        self.service: ConduitNodeService
        self.host: Host

    # Configuration

    def manifests(self) -> list[dict[str, Any]]:
        listeners = {
            "grpc": {"port": self.grpc_port},
            "health": {"port": self.health_port},
            "udp": {"port": self.udp_port},
        } | self.spec.get("listeners", {})
        found = [self._manifest("ConduitNode", self.name, self.spec | {"listeners": listeners})]
        if self.redis:
            found.append(self._manifest("Spill", "spill", {"url": self.redis, "durability": self.durability}))
        return found

    def _manifest(self, kind: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
        uid = self.uids.setdefault(f"{kind}/{name}", str(uuid4()))
        return {
            "apiVersion": API,
            "kind": kind,
            "metadata": {"name": name, "namespace": NAMESPACE, "uid": uid},
            "spec": dict(spec),
        }

    def document(self, revision: int) -> ConfigDocument:
        secrets = {f"{NAMESPACE}/keys": {name: Secret(key) for name, key in self.keys.items()}} if self.keys else {}
        return ConfigDocument(revision, tuple(self.manifests()), secrets)

    async def apply(self) -> dict[str, config_pb2.ResourceResult]:
        """Send the configuration as it is described now; what came of each resource, by kind and name."""
        async with ConfigClient.connect(self.address) as client:
            self.revision += 1
            answer = await client.apply(self.document(self.revision))
        return {f"{result.kind}/{result.name}": result for result in answer.results}

    async def applied(self) -> None:
        """The same; all of it has to be in effect."""
        results = await self.apply()
        assert all(result.applied for result in results.values()), results

    async def degradations(self) -> list[config_pb2.Degradation]:
        """What the service does without."""
        async with ConfigClient.connect(self.address) as client:
            return list((await client.status()).degradations)

    # Running

    async def start(self) -> None:
        """Start it in this process, with the configuration as it is described now."""
        self.service = ConduitNodeService((NAMESPACE, self.name), self.folder / "data", Surroundings())
        settings = HostSettings(
            grpc=GrpcSettings(listen=self.address),
            http=f"127.0.0.1:{self.health_port}",
            drain=DrainSettings(calls=1.0),
        )
        self.host = Host(self.service, settings, self.document(self.revision))
        self.running = True
        await self.host.start()

    async def stop(self) -> None:
        self.running = False
        await self.host.stop()

    # Use

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.grpc_port}"

    @property
    def place(self) -> str:
        """Where peers reach it."""
        return f"udp/127.0.0.1:{self.udp_port}"

    def client(self) -> ConduitClient:
        """A client, to be used within `async with`."""
        return ConduitClient.connect(self.address)

    async def metrics(self) -> dict[tuple[str, ...], float]:
        """Values by name and the values of labels."""
        async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{self.health_port}/metrics") as page:
            text = await page.text()
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }
