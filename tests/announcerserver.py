"""An announcer as a test holds it: `forebay serve announcer` as a process of its own, with its data on disk."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from eventually import eventually
from forebay.client import AnnouncerClient, ConfigClient
from forebay.pb.config.v1 import config_pb2
from forebay.runtime.document import ConfigDocument
from ports import free_port
from processes import Running

FOREBAY = Path(sys.executable).with_name("forebay")
NAMESPACE, NAME = "default", "lan"
API = "forebay.dev/v1alpha1"


class AnnouncerServer:
    """One Announcer with its forwarders, each given by name with its spec."""

    def __init__(self, folder: Path, redis: str = "", **spec: Any) -> None:
        """`redis`: URL of its Spill; empty: it has none."""
        self.folder = folder
        self.port, self.grpc_port, self.health_port = free_port(), free_port(), free_port()
        self.redis = redis
        self.spec = spec | ({"spillRef": {"name": "spill"}} if redis else {})
        self.forwarders: dict[str, dict[str, Any]] = {}
        self.uids: dict[str, str] = {}
        self.running: Running | None = None

    # Configuration

    def forwarder(self, name: str, url: str, **spec: Any) -> None:
        """Describe a forwarder."""
        self.forwarders[name] = {"announcerRef": {"name": NAME}, "url": url, **spec}

    def manifests(self) -> list[dict[str, Any]]:
        ports = {
            "http": {"port": self.port},
            "udp": {"port": self.port},
            "grpc": {"port": self.grpc_port},
            "health": {"port": self.health_port},
        }
        listeners = {name: own | self.spec.get("listeners", {}).get(name, {}) for name, own in ports.items()}
        found = [self._manifest("Announcer", NAME, self.spec | {"listeners": listeners})]
        if self.redis:
            found.append(self._manifest("Spill", "spill", {"url": self.redis}))
        return found + [self._manifest("Forwarder", name, spec) for name, spec in self.forwarders.items()]

    def _manifest(self, kind: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
        uid = self.uids.setdefault(f"{kind}/{name}", str(uuid4()))
        return {
            "apiVersion": API,
            "kind": kind,
            "metadata": {"name": name, "namespace": NAMESPACE, "uid": uid},
            "spec": dict(spec),
        }

    async def apply(self) -> dict[str, config_pb2.ResourceResult]:
        """Send the configuration as it is described now; what came of each resource, by kind and name."""
        async with ConfigClient.connect(self.address) as client:
            revision = (await client.status()).revision + 1
            answer = await client.apply(ConfigDocument(revision, tuple(self.manifests())))
        return {f"{result.kind}/{result.name}": result for result in answer.results}

    async def degradations(self) -> list[config_pb2.Degradation]:
        """What the service does without."""
        async with ConfigClient.connect(self.address) as client:
            return list((await client.status()).degradations)

    # Process

    async def untroubled(self) -> bool:
        """Whether it tells of no degradation."""
        return not await self.degradations()

    async def start(self) -> None:
        """Start it, and wait until it serves."""
        (self.folder / "manifests").mkdir(exist_ok=True)
        (self.folder / "manifests" / "all.yaml").write_text("\n---\n".join(map(json.dumps, self.manifests())))
        command = [FOREBAY, "serve", "announcer", "-f", self.folder / "manifests", "--data", self.folder / "data"]
        self.running = Running(command, self.folder / "log")
        await eventually(self._serves, within=60)

    async def _serves(self) -> bool:
        assert self.running is not None
        if not self.running.running:
            raise RuntimeError(f"the announcer ended by itself: {self.running.tail()}")
        try:
            async with (
                aiohttp.ClientSession() as http,
                http.get(f"http://127.0.0.1:{self.health_port}/readyz") as response,
            ):
                return response.status == 200
        except aiohttp.ClientError:
            return False

    # Use

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.grpc_port}"

    def url(self, scheme: str = "http") -> str:
        return f"{scheme}://127.0.0.1:{self.port}/announce"

    async def metrics(self) -> dict[tuple[str, ...], float]:
        """Values by name and the values of labels."""
        async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{self.health_port}/metrics") as page:
            text = await page.text()
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def client(self) -> AnnouncerClient:
        """A client, to be used within `async with`."""
        return AnnouncerClient.connect(self.address)

    def log_text(self) -> str:
        return (self.folder / "log").read_text()
