"""A stand-in for the node: scheduler, kubelet, container runtime, cluster DNS and volumes of a test's API server.

The real one is used by tests/e2e. Pods are bound here, and the first container of each is run as a process in
namespaces of its own, by the command that the image would run. Images, resources, users and liveness probes are not
looked at, and NetworkPolicies are not enforced. Run it as a program: `kubelet.py KUBECONFIG FOLDER`.
"""

import asyncio
import json
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import aiohttp

from kubeaccess import Access
from kubeclient import Body, Change, KubeClient, KubeError
from podnetwork import PodNetwork
from podrunner import PodRunner
from volumes import Volumes, volume_for

NODE = "node1"
STORAGE_CLASS = {
    "metadata": {"name": "standard", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
    "provisioner": "kubernetes.io/no-provisioner",
    "allowVolumeExpansion": True,
}


class Kubelet:
    """All pods of an API server."""

    def __init__(self, client: KubeClient, network: PodNetwork, folder: Path) -> None:
        """`folder` keeps the volumes of claims, and the log of each pod's container."""
        self.client = client
        self.network = network
        self.volumes = Volumes(client, folder)
        self.hosts = folder / "hosts"
        self.hosts.write_text("127.0.0.1 localhost\n::1 localhost\n")
        self.pods: dict[str, PodRunner] = {}
        self.bodies: dict[str, Body] = {}
        self.services: dict[str, Body] = {}

    async def run(self) -> None:
        """Until cancelled. Then all pods are killed."""
        try:
            await self._prepare()
            async with asyncio.TaskGroup() as tasks:
                for kind, told in (
                    ("Pod", self._pod),
                    ("Secret", self._secret),
                    ("Service", self._service),
                    ("PersistentVolumeClaim", self._claim),
                ):
                    tasks.create_task(self._follow(kind, told))
        finally:
            await asyncio.gather(*(pod.stop(0) for pod in self.pods.values()))

    async def _prepare(self) -> None:
        with suppress(KubeError):
            await self.client.create("StorageClass", "", STORAGE_CLASS)

    async def _follow(self, kind: str, told: "Told") -> None:
        async for change in self.client.watch(kind):
            try:
                await told(change)
            except (aiohttp.ClientError, KubeError, TimeoutError) as error:
                print(f"{kind} {change.body['metadata']['name']}: {error}", flush=True)  # noqa: T201

    async def _pod(self, change: Change) -> None:
        body = change.body
        uid = body["metadata"]["uid"]
        if change.kind == "DELETED":
            await self._gone(uid)
        elif not body["spec"].get("nodeName"):
            await self._bind(body)
        else:
            self.bodies[uid] = body
            self._run_or_end(uid, body)
        self._write_hosts()

    def _run_or_end(self, uid: str, body: Body) -> None:
        deleted = body["metadata"].get("deletionTimestamp")
        if uid not in self.pods and body.get("status", {}).get("phase") not in ("Succeeded", "Failed"):
            self.pods[uid] = PodRunner(self.client, self.network, self.volumes, self.hosts, body)
        if deleted and uid in self.pods:
            self.pods[uid].end(body["metadata"].get("deletionGracePeriodSeconds", 30))

    async def _gone(self, uid: str) -> None:
        """Kill what was deleted by force."""
        self.bodies.pop(uid, None)
        if (pod := self.pods.pop(uid, None)) and not pod.ending:
            await pod.stop(0)

    async def _bind(self, body: Body) -> None:
        metadata = body["metadata"]
        place = f"api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/binding"
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": metadata["name"]}}
        await self.client.call("POST", place, binding | {"target": {"kind": "Node", "name": NODE}})

    async def _secret(self, change: Change) -> None:
        if change.kind != "DELETED":
            self.volumes.changed(change.body)

    async def _service(self, change: Change) -> None:
        uid = change.body["metadata"]["uid"]
        if change.kind == "DELETED":
            self.services.pop(uid, None)
        else:
            self.services[uid] = change.body
        self._write_hosts()

    async def _claim(self, change: Change) -> None:
        body = change.body
        if change.kind == "DELETED":
            return
        wanted = body["spec"]["resources"]["requests"]
        status = body.get("status", {})
        if status.get("phase") == "Pending" and not body["spec"].get("volumeName"):
            with suppress(KubeError):
                await self.client.create("PersistentVolume", "", volume_for(body))
        elif status.get("phase") == "Bound" and status.get("capacity") != wanted:
            names = body["metadata"]["namespace"], body["metadata"]["name"]
            await self.client.patch("PersistentVolumeClaim", *names, {"status": {"capacity": wanted}}, "status")

    def _write_hosts(self) -> None:
        """Write the names of all Services, and of pods. The file is mounted, so that it must stay the same one."""
        lines = ["127.0.0.1 localhost", "::1 localhost"]
        for service in self.services.values():
            of_service = names(service["metadata"])
            for pod, address in self._addresses(service):
                of_pod = [f"{pod}.{name}" for name in of_service] if service["spec"].get("clusterIP") == "None" else []
                lines.append(" ".join((address, *of_service, *of_pod)))
        text = "\n".join(lines) + "\n"
        if text != self.hosts.read_text():
            self.hosts.write_text(text)

    def _addresses(self, service: Body) -> list[tuple[str, str]]:
        """Names and addresses of the pods that a Service selects; the ready ones unless it publishes all."""
        selector = service["spec"].get("selector")
        every = service["spec"].get("publishNotReadyAddresses")
        return [
            (body["metadata"]["name"], body["status"]["podIP"])
            for body in self.bodies.values()
            if selector
            and body["metadata"]["namespace"] == service["metadata"]["namespace"]
            and selector.items() <= body["metadata"].get("labels", {}).items()
            and body.get("status", {}).get("podIP")
            and (every or is_ready(body))
        ]


Told = Callable[[Change], Awaitable[None]]


def names(metadata: Body) -> list[str]:
    """The names of a Service in the cluster's DNS."""
    short = f"{metadata['name']}.{metadata['namespace']}"
    return [short, f"{short}.svc", f"{short}.svc.cluster.local"]


def is_ready(pod: Body) -> bool:
    conditions = pod.get("status", {}).get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def read_access(kubeconfig: Path) -> Access:
    """The access of a kubeconfig that `Access` wrote."""
    content = json.loads(kubeconfig.read_text())
    cluster, user = content["clusters"][0]["cluster"], content["users"][0]["user"]
    authority = Path(cluster["certificate-authority"])
    return Access(kubeconfig.parent, cluster["server"], authority, "node", user["token"])


async def main(kubeconfig: Path, folder: Path) -> None:
    """Run until SIGTERM."""
    network = await asyncio.to_thread(PodNetwork)
    try:
        async with KubeClient(read_access(kubeconfig)) as client:
            task = asyncio.ensure_future(Kubelet(client, network, folder).run())
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
            with suppress(asyncio.CancelledError):
                await task
    finally:
        await asyncio.to_thread(network.close)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
