"""A plain client of the Kubernetes API for tests: what they see must not depend on the client that is tested."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

import aiohttp

from kubeaccess import Access

Body = dict[str, Any]
TOO_MANY = 429
"""As right after definitions were installed, while their storage is being made."""
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
PATHS = {
    "Event": "api/v1/events",
    "Namespace": "api/v1/namespaces",
    "PersistentVolume": "api/v1/persistentvolumes",
    "PersistentVolumeClaim": "api/v1/persistentvolumeclaims",
    "Pod": "api/v1/pods",
    "Secret": "api/v1/secrets",
    "Service": "api/v1/services",
    "ServiceAccount": "api/v1/serviceaccounts",
    "StatefulSet": "apis/apps/v1/statefulsets",
    "Job": "apis/batch/v1/jobs",
    "Lease": "apis/coordination.k8s.io/v1/leases",
    "NetworkPolicy": "apis/networking.k8s.io/v1/networkpolicies",
    "PodDisruptionBudget": "apis/policy/v1/poddisruptionbudgets",
    "StorageClass": "apis/storage.k8s.io/v1/storageclasses",
    "ServiceMonitor": "apis/monitoring.coreos.com/v1/servicemonitors",
    "Spill": "apis/forebay.dev/v1alpha1/spills",
    "Outfeed": "apis/forebay.dev/v1alpha1/outfeeds",
    "Peerfeed": "apis/forebay.dev/v1alpha1/peerfeeds",
    "Store": "apis/forebay.dev/v1alpha1/stores",
    "StoreQueue": "apis/forebay.dev/v1alpha1/storequeues",
    "Announcer": "apis/forebay.dev/v1alpha1/announcers",
    "Forwarder": "apis/forebay.dev/v1alpha1/forwarders",
    "Router": "apis/forebay.dev/v1alpha1/routers",
    "RouterLink": "apis/forebay.dev/v1alpha1/routerlinks",
    "ConduitNode": "apis/forebay.dev/v1alpha1/conduitnodes",
    "Compaction": "apis/forebay.dev/v1alpha1/compactions",
    "SparkApplication": "apis/sparkoperator.k8s.io/v1beta2/sparkapplications",
}
"""Where the objects of a kind are, without their namespace."""


class KubeError(Exception):
    """The API server refused: its status code and message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class Change(NamedTuple):
    """What a watch tells of an object."""

    kind: str
    """ADDED, MODIFIED or DELETED."""
    body: Body


class KubeClient:
    """Objects by kind, namespace and name."""

    def __init__(self, access: Access) -> None:
        context = ssl.create_default_context(cafile=access.authority)
        self.session = aiohttp.ClientSession(
            access.url,
            connector=aiohttp.TCPConnector(ssl=context, limit=0),
            headers={"Authorization": f"Bearer {access.token}"},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.session.close()

    async def get(self, kind: str, namespace: str, name: str) -> Body:
        return await self.call("GET", path(kind, namespace, name))

    async def find(self, kind: str, namespace: str, name: str) -> Body | None:
        """The object, or None where it is not."""
        try:
            return await self.get(kind, namespace, name)
        except KubeError as error:
            if error.status == 404:
                return None
            raise

    async def list(self, kind: str, namespace: str = "", labels: str = "") -> list[Body]:
        answer = await self.call("GET", path(kind, namespace), labelSelector=labels)
        return list(answer["items"])

    async def create(self, kind: str, namespace: str, body: Body) -> Body:
        group = PATHS[kind].rpartition("/")[0]
        head = {"apiVersion": group.removeprefix("apis/").removeprefix("api/"), "kind": kind}
        return await self.call("POST", path(kind, namespace), head | body)

    async def patch(self, kind: str, namespace: str, name: str, body: Body, part: str = "") -> Body:
        """A merge patch of the object, or of its `part`, as status."""
        place = path(kind, namespace, name) + (f"/{part}" if part else "")
        return await self.call("PATCH", place, body, MERGE)

    async def delete(self, kind: str, namespace: str, name: str, **options: Any) -> None:
        """Ask for its deletion; it may be gone already."""
        try:
            await self.call("DELETE", path(kind, namespace, name), options or None)
        except KubeError as error:
            if error.status != 404:
                raise

    async def call(
        self, method: str, place: str, body: Body | None = None, form: str = "application/json", **query: str
    ) -> Body:
        """One request, which may be put off for a while. Raises `KubeError` when it is refused."""
        for wait in (0.2, 0.5, 1, 2, 5, 0):
            status, answer = await self.once(method, place, body, form, query)
            if status != TOO_MANY:
                break
            await asyncio.sleep(wait)
        if status >= 400:
            raise KubeError(status, str(answer.get("message")))
        return answer

    async def once(
        self, method: str, place: str, body: Body | None = None, form: str = "", query: Mapping[str, str] | None = None
    ) -> tuple[int, Body]:
        """One request; whatever status and body answer it."""
        async with self.session.request(
            method,
            f"/{place}",
            data=None if body is None else json.dumps(body),
            params={name: value for name, value in (query or {}).items() if value},
            headers={"Content-Type": form},
            timeout=aiohttp.ClientTimeout(total=30),
        ) as response:
            text = await response.text()
        return response.status, json.loads(text) if text.startswith("{") else {"message": text}

    async def watch(self, kind: str, namespace: str = "", labels: str = "") -> AsyncIterator[Change]:
        """All objects and then every change, for ever: what an absence of the API server hid is told after it."""
        known: dict[str, Body] = {}
        while True:
            try:
                async for change in self._round(known, kind, namespace, labels):
                    yield change
            except (aiohttp.ClientError, KubeError, TimeoutError, OSError, ValueError):
                await asyncio.sleep(0.5)

    async def _round(self, known: dict[str, Body], kind: str, namespace: str, labels: str) -> AsyncIterator[Change]:
        """The differences from what is known, and then changes until the watch ends."""
        place = path(kind, namespace)
        listed = await self.call("GET", place, labelSelector=labels)
        found = {body["metadata"]["uid"]: body for body in listed["items"]}
        for uid in set(known) - set(found):
            yield Change("DELETED", known.pop(uid))
        for uid, body in found.items():
            event = "MODIFIED" if uid in known else "ADDED"
            known[uid] = body
            yield Change(event, body)
        async for change in self._stream(place, labels, listed["metadata"]["resourceVersion"]):
            uid = change.body["metadata"]["uid"]
            if change.kind == "DELETED":
                known.pop(uid, None)
            else:
                known[uid] = change.body
            yield change

    async def _stream(self, place: str, labels: str, version: str) -> AsyncIterator[Change]:
        query = {"watch": "1", "resourceVersion": version, "labelSelector": labels, "timeoutSeconds": "240"}
        async with self.session.get(f"/{place}", params=query) as response:
            response.raise_for_status()
            rest = b""
            async for chunk in response.content.iter_any():
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    change = json.loads(line)
                    if change["type"] == "ERROR":
                        return
                    yield Change(change["type"], change["object"])


def path(kind: str, namespace: str = "", name: str = "") -> str:
    """Where an object is, or all of a kind."""
    group, _, plural = PATHS[kind].rpartition("/")
    place = f"{group}/namespaces/{namespace}/{plural}" if namespace else f"{group}/{plural}"
    return f"{place}/{name}" if name else place
