"""A namespace of a test with the operator at work in it, installed by the chart's own roles."""

import asyncio
import base64
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from grpc.aio import Channel

from apiserver import CHECKOUT, ApiServer
from authority import mount
from eventually import eventually
from forebay.client import AnnouncerClient, ConfigClient, OutfeedClient
from forebay.client.router import RouterClient
from forebay.runtime import CertificateFolder, ChannelSettings, ClientChannel
from forebay.runtime.certificates import AUTHORITIES, CHAIN, KEY
from forebay_operator.certificates import Authority
from forebay_operator.principals import OPERATOR
from helmchart import only, render
from kubeclient import APPLY, Body, KubeClient, path
from operatorprocess import OperatorProcess
from processes import Running

API = "forebay.dev/v1alpha1"
KUBELET = Path(__file__).with_name("kubelet.py")
EXAMPLES = CHECKOUT / "examples"
QUICKSTART = EXAMPLES / "quickstart"
RIGHTS = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
IMAGE = "localhost/forebay:test"
KINDS = (
    "Spill",
    "Outfeed",
    "Peerfeed",
    "Store",
    "StoreQueue",
    "Announcer",
    "Forwarder",
    "Router",
    "RouterLink",
    "ConduitNode",
    "Compaction",
)


class Site:
    """What a test of the operator looks at and changes."""

    def __init__(self, server: ApiServer, folder: Path, client: KubeClient, values: Body | None = None) -> None:
        """`folder` is the site's own; `values` are given to the chart."""
        self.server = server
        self.folder = folder
        self.client = client
        self.values = values or {}
        self.namespace = server.namespace("news", **{"pod-security.kubernetes.io/enforce": "restricted"})
        self.system = server.namespace("system")
        self.operator: OperatorProcess

    def install(self) -> None:
        """Give the operator its account and rights, as `helm install` does, and make it ready to start."""
        image = {"image": {"repository": IMAGE.partition(":")[0], "tag": IMAGE.partition(":")[2]}}
        values = {"namespaces": [self.namespace], **image, **self.values}
        bodies = render(values, name="forebay", namespace=self.system)
        wanted = [body for body in bodies if body["kind"] in RIGHTS and not is_hook(body)]
        self.server.admin.apply(*wanted)
        self.settings = yaml.safe_load(only(bodies, "ConfigMap")["data"]["settings.yaml"])
        self.operator = self.another_operator("a")

    def another_operator(self, name: str) -> OperatorProcess:
        """One more replica."""
        account = self.server.account(self.system, "forebay")
        return OperatorProcess(account, self.folder, self.system, self.settings, name)

    async def apply(self, *bodies: Body) -> None:
        """Apply objects as kubectl does with server-side apply."""
        for body in bodies:
            name = body["metadata"]["name"]
            place = path(body["kind"], self.namespace, name)
            await self.client.call("PATCH", place, body, APPLY, fieldManager="test", force="true")

    async def apply_quickstart(self) -> None:
        """Apply examples/quickstart."""
        await self.apply(*read_manifests(QUICKSTART))

    async def edit(self, kind: str, name: str, **spec: Any) -> None:
        """Change fields of a spec."""
        await self.client.patch(kind, self.namespace, name, {"spec": spec})

    async def condition(self, kind: str, name: str, type_: str = "Ready") -> Body:
        """A condition of a resource; a status of "" where it has none, or one of an older generation."""
        body = await self.client.find(kind, self.namespace, name) or {}
        generation = body.get("metadata", {}).get("generation")
        for each in body.get("status", {}).get("conditions", []):
            if each["type"] == type_ and each.get("observedGeneration", generation) == generation:
                return dict(each)
        return {"type": type_, "status": "", "reason": "", "message": ""}

    async def is_ready(self, kind: str, name: str, status: str = "True") -> Body:
        """The Ready condition, which has to be of the newest generation. Raises `AssertionError` with what is wrong."""
        found = await self.condition(kind, name)
        assert found["status"] == status, f"{kind} {name}: {found}"
        return found

    async def until_ready(self, *names: tuple[str, str], within: float = 120) -> None:
        """Wait until resources are Ready, by kind and name; without names all of the namespace."""

        async def check() -> bool:
            for kind, name in names or await self.resources():
                await self.is_ready(kind, name)
            return True

        await eventually(check, within=within, every=0.1)

    async def resources(self) -> list[tuple[str, str]]:
        """Kind and name of all resources of the namespace."""
        found = [(kind, await self.client.list(kind, self.namespace)) for kind in KINDS]
        return [(kind, body["metadata"]["name"]) for kind, bodies in found for body in bodies]

    async def pods(self) -> dict[str, str]:
        """The uid of each pod by its name."""
        bodies = await self.client.list("Pod", self.namespace)
        return {body["metadata"]["name"]: body["metadata"]["uid"] for body in bodies}

    async def secret(self, name: str, namespace: str = "") -> dict[str, bytes]:
        """The content of a Secret."""
        body = await self.client.get("Secret", namespace or self.namespace, name)
        return {key: base64.b64decode(value) for key, value in body["data"].items()}

    async def gateway(self) -> str:
        """The address at which pods reach this process."""
        return str((await self.client.list("Pod", self.namespace))[0]["status"]["hostIP"])

    async def client_certificate(self, name: str, client: str = "kubectl", kind: str = "Outfeed") -> Path:
        """A folder with the certificate of a client of a service."""
        return mount(self.folder / client, await self.secret(f"{name}-{kind.lower()}-client-{client}"))

    async def operator_certificate(self) -> Path:
        """A folder with a certificate as the operator has one."""
        data = await self.secret(f"forebay-ca-{self.namespace}", self.system)
        authority = Authority.from_secret(self.namespace, data)
        made = authority.issue((OPERATOR,), datetime.now(UTC))
        return mount(self.folder / "operator", {CHAIN: made.chain, KEY: made.key, AUTHORITIES: made.authorities})

    @asynccontextmanager
    async def channel(self, name: str, certificate: Path, kind: str = "Outfeed") -> AsyncIterator[ClientChannel]:
        """A channel to the pod of a service, with the certificate of a folder."""
        main = f"{name}-{kind.lower()}"
        pod = await self.client.get("Pod", self.namespace, f"{main}-0")
        port = (await self.client.get(kind, self.namespace, name))["spec"]["listeners"]["grpc"]["port"]
        settings = ChannelSettings(server_name=f"{main}.{self.namespace}.svc")
        channel = ClientChannel(f"ipv4:{pod['status']['podIP']}:{port}", CertificateFolder(certificate), settings)
        try:
            yield channel
        finally:
            await channel.close()

    @asynccontextmanager
    async def outfeed(self, name: str) -> AsyncIterator[OutfeedClient]:
        """A client of an Outfeed."""
        async with self.channel(name, await self.client_certificate(name)) as channel:
            yield OutfeedClient(channel)

    @asynccontextmanager
    async def store(self, name: str) -> AsyncIterator[Channel]:
        """A channel for calls to a Store."""
        certificate = await self.client_certificate(name, kind="Store")
        async with self.channel(name, certificate, "Store") as channel:
            yield channel.get()

    @asynccontextmanager
    async def announcer(self, name: str) -> AsyncIterator[AnnouncerClient]:
        """A client of an Announcer."""
        certificate = await self.client_certificate(name, kind="Announcer")
        async with self.channel(name, certificate, "Announcer") as channel:
            yield AnnouncerClient(channel)

    @asynccontextmanager
    async def router(self, name: str) -> AsyncIterator[RouterClient]:
        """A client of the first pod of a Router."""
        certificate = await self.client_certificate(name, kind="Router")
        async with self.channel(name, certificate, "Router") as channel:
            yield RouterClient(channel)

    @asynccontextmanager
    async def configuration(self, name: str) -> AsyncIterator[ConfigClient]:
        """A client of an Outfeed's configuration that may change it, as the operator's."""
        async with self.channel(name, await self.operator_certificate()) as channel:
            yield ConfigClient(channel)

    async def offer(self, name: str, articles: Iterable[bytes]) -> list[Any]:
        """Offer articles; the verdicts."""
        async with self.outfeed(name) as client:
            return [verdict async for verdict in client.offer(articles)]

    async def remove(self) -> None:
        """Stop the operator, and delete what the site made."""
        await asyncio.to_thread(self.operator.kill)
        for name in (self.namespace, self.system):
            await self.client.delete("Namespace", "", name)


def start_node(server: ApiServer, folder: Path) -> Running:
    """Start what runs the pods of an API server; see kubelet.py."""
    return Running([sys.executable, KUBELET, server.kubeconfig, folder], folder / "kubelet.log")


def is_ready(body: Body) -> bool:
    """Whether a resource is Ready, at its newest generation."""
    status = body.get("status", {})
    ready = [each["status"] for each in status.get("conditions", []) if each["type"] == "Ready"]
    return ready == ["True"] and status.get("observedGeneration") == body["metadata"]["generation"]


def is_hook(body: Body) -> bool:
    return "helm.sh/hook" in body["metadata"].get("annotations", {})


def read_manifests(folder: Path) -> list[Body]:
    """All manifests of a folder."""
    files = sorted(folder.glob("*.yaml"))
    return [body for file in files for body in yaml.safe_load_all(file.read_text()) if body]


def resource(kind: str, name: str, **spec: Any) -> Body:
    """A manifest of ours."""
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}


def hub(name: str = "hub", **spec: Any) -> list[Body]:
    """An Outfeed with a managed Spill."""
    spill = resource("Spill", "main", managed={"storage": "1GiB"})
    history = {"rejectOld": False}
    return [
        spill,
        resource("Outfeed", name, spillRef={"name": "main"}, storage={"size": "1GiB"}, history=history, **spec),
    ]


def peerfeed(name: str, host: str = "", port: int = 119, **spec: Any) -> Body:
    """A Peerfeed of the Outfeed `hub`; without a host, one at an address of which nobody answers."""
    place = {"hosts": [host or "127.0.0.1"], "port": port if host else 9}
    return resource("Peerfeed", name, outfeedRef={"name": "hub"}, **place, **spec)


def shop(name: str = "shop", **spec: Any) -> Body:
    """A Store."""
    return resource("Store", name, storage={"size": "1GiB", "freeLimit": "64MiB"}, **spec)


def storequeue(name: str, store: str = "shop", **spec: Any) -> Body:
    """A StoreQueue of a Store."""
    return resource("StoreQueue", name, storeRef={"name": store}, **spec)


def tracker(name: str = "swarm", **spec: Any) -> Body:
    """An Announcer."""
    return resource("Announcer", name, **{"swarms": {"snapshotInterval": "10s"}, "memory": "256MiB", **spec})


def forwarder(name: str, url: str, announcer: str = "swarm", **spec: Any) -> Body:
    """A Forwarder of an Announcer."""
    return resource("Forwarder", name, announcerRef={"name": announcer}, url=url, **spec)


def chat(name: str = "chat", **spec: Any) -> Body:
    """A Router."""
    return resource("Router", name, **{"memory": "128MiB", **spec})


def press(name: str = "press", **spec: Any) -> Body:
    """A ConduitNode."""
    return resource("ConduitNode", name, **{"memory": "128MiB", **spec})


def routerlink(name: str, domain: str, *addresses: str, router: str = "chat", **spec: Any) -> Body:
    """A RouterLink of a Router."""
    return resource("RouterLink", name, routerRef={"name": router}, domain=domain, addresses=list(addresses), **spec)


def secret(name: str, **data: str) -> Body:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": data}
