"""A router service as a test holds it: hosted in the test's own process, configured by manifests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from forebay.client import ConfigClient
from forebay.client.router import Process, ProcessSettings, RouterClient
from forebay.pb.config.v1 import config_pb2
from forebay.router.configuration import Surroundings
from forebay.router.service import RouterService
from forebay.runtime import BackoffSettings, DrainSettings, GrpcSettings, Host, HostSettings
from forebay.runtime.document import ConfigDocument
from forebay.runtime.secret import Secret
from ports import free_port

NAMESPACE = "default"
API = "forebay.dev/v1alpha1"
KEY = {"keyFrom": {"secretRef": {"name": "links", "key": "key"}}}
SETTINGS = ProcessSettings(farewell=2.0, backoff=BackoffSettings(0.05, 0.2))


class RouterServer:
    """One Router with its links, each given by name with its spec."""

    def __init__(self, folder: Path, name: str, redis: str = "", **spec: Any) -> None:
        """`redis`: URL of its Spill; empty: it has none."""
        self.folder = folder
        self.name = name
        self.grpc_port, self.health_port = free_port(), free_port()
        self.redis = redis
        self.spec = spec | ({"spillRef": {"name": "spill"}} if redis else {})
        self.links: dict[str, dict[str, Any]] = {}
        self.key = "a key of 32 octets, more or less"
        self.uids: dict[str, str] = {}
        self.running = False
        self.service: RouterService
        self.host: Host

    # Configuration

    def link(self, name: str, domain: str, *addresses: str, **spec: Any) -> None:
        """Describe a link."""
        self.links[name] = {"routerRef": {"name": self.name}, "domain": domain, "addresses": list(addresses), **spec}

    def manifests(self) -> list[dict[str, Any]]:
        ports = {"grpc": {"port": self.grpc_port}, "health": {"port": self.health_port}}
        listeners = ports | self.spec.get("listeners", {})
        found = [self._manifest("Router", self.name, self.spec | {"listeners": listeners})]
        if self.redis:
            found.append(self._manifest("Spill", "spill", {"url": self.redis}))
        return found + [self._manifest("RouterLink", name, spec) for name, spec in self.links.items()]

    def _manifest(self, kind: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
        uid = self.uids.setdefault(f"{kind}/{name}", str(uuid4()))
        return {
            "apiVersion": API,
            "kind": kind,
            "metadata": {"name": name, "namespace": NAMESPACE, "uid": uid},
            "spec": dict(spec),
        }

    def document(self, revision: int) -> ConfigDocument:
        secrets = {f"{NAMESPACE}/links": {"key": Secret(self.key)}} if self.key else {}
        return ConfigDocument(revision, tuple(self.manifests()), secrets)

    async def apply(self) -> dict[str, config_pb2.ResourceResult]:
        """Send the configuration as it is described now; what came of each resource, by kind and name."""
        async with ConfigClient.connect(self.address) as client:
            revision = (await client.status()).revision + 1
            answer = await client.apply(self.document(revision))
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
        around = Surroundings(None, "127.0.0.1")
        self.service = RouterService((NAMESPACE, self.name), self.folder / "data", around)
        settings = HostSettings(
            grpc=GrpcSettings(listen=self.address),
            http=f"127.0.0.1:{self.health_port}",
            drain=DrainSettings(calls=1.0),
        )
        self.host = Host(self.service, settings, self.document(1))
        self.running = True
        await self.host.start()

    async def stop(self) -> None:
        self.running = False
        await self.host.stop()

    # Use

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.grpc_port}"

    def process(self, name: str) -> Process:
        """A process, to be used within `async with`."""
        return Process.connect(self.address, name, settings=SETTINGS)

    async def view(self):
        """How it is now."""
        async with RouterClient.connect(self.address) as client:
            return await client.router()

    async def routes(self) -> list[str]:
        """Other domains that it has a way to."""
        return [route.domain for route in (await self.view()).routes]

    async def link_of(self, name: str):
        """How a link is now; None where there is none of that name."""
        return next((link for link in (await self.view()).links if link.name == name), None)

    async def metrics(self) -> dict[tuple[str, ...], float]:
        """Values by name and the values of labels."""
        async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{self.health_port}/metrics") as page:
            text = await page.text()
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }
