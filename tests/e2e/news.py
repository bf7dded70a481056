"""A namespace in which resources of Forebay run."""

import base64
import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from grpc.aio import Channel

from authority import mount
from e2e.cluster import Body, Cluster, until
from forebay.client import AnnouncerClient, OutfeedClient
from forebay.client.router import RouterClient
from forebay.runtime import CertificateFolder, ChannelSettings, ClientChannel
from kubeaccess import program

KINDS = (
    "spills,outfeeds,peerfeeds,stores,storequeues,announcers,forwarders,routers,routerlinks,conduitnodes,compactions"
)
GRPC = 7119
FEEDER = Path(__file__).with_name("feeder.py")


class News:
    """Its resources, pods and services."""

    def __init__(self, cluster: Cluster, namespace: str, folder: Path) -> None:
        """`folder` takes certificates."""
        self.cluster = cluster
        self.namespace = namespace
        self.folder = folder

    def apply(self, *bodies: Body) -> None:
        self.cluster.apply(*bodies, namespace=self.namespace)

    def apply_folder(self, folder: Path) -> None:
        self.cluster("apply", "-n", self.namespace, "-f", folder)

    def edit(self, kind: str, name: str, **spec: Any) -> None:
        """Change fields of a spec."""
        self.cluster("patch", kind, name, "-n", self.namespace, "--type", "merge", "-p", json.dumps({"spec": spec}))

    def get(self, kind: str, name: str) -> Body:
        return dict(self.cluster.json("get", kind, name, "-n", self.namespace))

    def until_ready(self, within: float = 240.0) -> None:
        """Wait until every resource is Ready, at its newest generation."""
        until(self.all_ready, within)

    def all_ready(self) -> bool:
        bodies = self.cluster.items(KINDS, self.namespace)
        for body in bodies:
            ready = condition(body, "Ready")
            assert ready.get("status") == "True", f"{body['kind']} {body['metadata']['name']}: {ready}"
        return bool(bodies)

    def pods(self) -> dict[str, str]:
        """The uid of each pod by its name."""
        found = self.cluster.items("pods", self.namespace)
        return {body["metadata"]["name"]: body["metadata"]["uid"] for body in found}

    def certificates(self, name: str, client: str = "kubectl", role: str = "outfeed") -> Path:
        """A folder with the certificate of a client of a service."""
        data = self.get("secret", f"{name}-{role}-client-{client}")["data"]
        files = {key: base64.b64decode(value) for key, value in data.items()}
        return mount(self.folder / f"{name}.{role}.{client}", files)

    @asynccontextmanager
    async def outfeed(self, name: str) -> AsyncIterator[OutfeedClient]:
        """A client of an Outfeed, through a forwarded port of its Service."""
        with self.cluster.forwarded(f"service/{name}-outfeed", self.namespace, "grpc") as port:
            async with OutfeedClient.connect(f"localhost:{port}", tls=self.certificates(name)) as client:
                yield client

    @asynccontextmanager
    async def store(self, name: str, pod: str = "") -> AsyncIterator[Channel]:
        """A channel for calls to a Store, through a forwarded port of its Service, or of one of its pods."""
        target = f"pod/{pod}" if pod else f"service/{name}-store"
        with self.cluster.forwarded(target, self.namespace, "grpc") as port:
            folder = CertificateFolder(self.certificates(name, role="store"))
            channel = ClientChannel(f"dns:///localhost:{port}", folder, ChannelSettings())
            try:
                yield channel.get()
            finally:
                await channel.close()

    @asynccontextmanager
    async def announcer(self, name: str) -> AsyncIterator[AnnouncerClient]:
        """A client of an Announcer, through a forwarded port of its Service."""
        with self.cluster.forwarded(f"service/{name}-announcer", self.namespace, "grpc") as port:
            folder = self.certificates(name, role="announcer")
            async with AnnouncerClient.connect(f"localhost:{port}", tls=folder) as client:
                yield client

    @asynccontextmanager
    async def router(self, name: str, pod: str = "") -> AsyncIterator[RouterClient]:
        """A client of a Router, through a forwarded port of its Service, or of one of its pods."""
        target = f"pod/{pod}" if pod else f"service/{name}-router"
        with self.cluster.forwarded(target, self.namespace, "grpc") as port:
            async with RouterClient.connect(f"localhost:{port}", self.certificates(name, role="router")) as client:
                yield client

    @asynccontextmanager
    async def conduit(self, name: str, pod: str) -> AsyncIterator[Channel]:
        """A channel for calls to a pod of a ConduitNode, through a forwarded port."""
        with self.cluster.forwarded(f"pod/{pod}", self.namespace, "grpc") as port:
            folder = CertificateFolder(self.certificates(name, role="conduitnode"))
            channel = ClientChannel(f"dns:///localhost:{port}", folder, ChannelSettings())
            try:
                yield channel.get()
            finally:
                await channel.close()

    @contextmanager
    def feeding(self, name: str, articles: int, pod: str, id_length: int = 0) -> Iterator["Feeding"]:
        """Articles that a process in another pod offers to an Outfeed through its Service.

        `id_length` is how long their message-ids are at least.
        """
        executable = program("kubectl")
        assert executable
        # The ports of quick start and default are the same for the hub.
        address = f"{name}-outfeed.{self.namespace}.svc:{GRPC}"
        command = [executable, "--kubeconfig", self.cluster.kubeconfig, "exec", "-i", "-n", self.namespace, pod, "--"]
        with subprocess.Popen(
            [*map(str, command), "python3", "-c", FEEDER.read_text(), address, str(articles), str(id_length)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                yield Feeding(process)
            finally:
                process.kill()

    def pod_ready(self, name: str, other_than: str = "") -> bool:
        """Whether a pod is ready, and another than it was."""
        body = self.get("pod", name)
        return (
            body["metadata"]["uid"] != other_than
            and condition(body, "Ready", any_generation=True).get("status") == "True"
        )


class Feeding:
    """What became of the articles so far."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.outcomes: dict[str, str] = {}
        """By message-id."""
        self.log: list[str] = []
        """What else it printed."""

    def until(self, count: int) -> None:
        """Wait for verdicts."""
        while len(self.outcomes) < count:
            assert self._line(), self.log

    def rest(self) -> dict[str, str]:
        """Wait for all verdicts."""
        while self._line():
            pass
        assert self.process.wait() == 0, self.log
        return self.outcomes

    def _line(self) -> bool:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if line.startswith("<"):
            message_id, _, outcome = line.strip().rpartition(" ")
            self.outcomes[message_id] = outcome
        else:
            self.log.append(line)
        return bool(line)


def condition(body: Body, kind: str, *, any_generation: bool = False) -> Body:
    """A condition of an object; an empty one where there is none, or one of an older generation."""
    generation = body["metadata"].get("generation")
    for each in body.get("status", {}).get("conditions", []):
        if each["type"] == kind and (any_generation or each.get("observedGeneration", generation) == generation):
            return dict(each)
    return {}
