"""Runs one pod: its container, its readiness, its status, its end."""

import asyncio
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp

import sandbox
from kubeclient import Body, KubeClient, KubeError
from sandbox import Sandbox

if TYPE_CHECKING:
    from podnetwork import PodNetwork
    from volumes import Volumes

PROBE_SECONDS = 0.3
RESTART_SECONDS = (0.2, 1.0, 2.0, 5.0)
"""Waits before a container that ended is started again."""


class PodRunner:
    """From the moment when the pod is here until it is deleted."""

    def __init__(self, client: KubeClient, network: "PodNetwork", volumes: "Volumes", hosts: Path, pod: Body) -> None:
        self.client = client
        self.network = network
        self.volumes = volumes
        self.hosts = hosts
        self.pod = pod
        self.namespace, self.name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        self.place = volumes.folder / "pods" / self.namespace / f"{self.name}-{pod['metadata']['uid'][:8]}"
        self.container: Body = pod["spec"]["containers"][0]
        self.address = network.address()
        self.restarts = 0
        self.box: Sandbox | None = None
        self.started = ""
        self.ready = False
        self.task = asyncio.create_task(self._run())
        self.task.add_done_callback(self._tell)
        self.ending: asyncio.Task[None] | None = None

    def end(self, grace: float) -> None:
        """Stop it, and then tell the API server that it is gone."""
        if self.ending is None:
            self.ending = asyncio.create_task(self._end(grace))

    async def stop(self, grace: float) -> None:
        """Stop it; nobody is told."""
        self.task.cancel()
        await asyncio.wait([self.task])
        if self.box:
            await self.box.stop(grace)

    async def _end(self, grace: float) -> None:
        await self.stop(grace)
        while True:
            try:
                uid = self.pod["metadata"]["uid"]
                precondition = {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}}
                await self.client.delete("Pod", self.namespace, self.name, **precondition)
            except KubeError:
                break
            except (aiohttp.ClientError, TimeoutError):
                await asyncio.sleep(0.5)
            else:
                break
        self.volumes.release(self.place)
        shutil.rmtree(self.place / "root", ignore_errors=True)

    def _tell(self, task: asyncio.Task[None]) -> None:
        """Print what this stand-in cannot do."""
        if not task.cancelled() and (error := task.exception()):
            print(f"{self.namespace}/{self.name}: {error!r}", flush=True)  # noqa: T201

    async def _run(self) -> None:
        """Run the container, again and again where it is to go on for ever."""
        while True:
            mounts = await self._mounts()
            self.box = await sandbox.start(
                self.network, self.address, self.place, self.hosts, mounts, self._command(), self._environment()
            )
            self.started = now()
            await self._report("Running")
            status = await self._watch_over(self.box)
            self.ready = False
            if self._finished(status):
                await self._report("Succeeded" if status == 0 else "Failed", status)
                return
            self.restarts += 1
            await self._report("Running", status)
            await asyncio.sleep(RESTART_SECONDS[min(self.restarts, len(RESTART_SECONDS)) - 1])

    async def _mounts(self) -> list[sandbox.Mount]:
        while True:
            try:
                return await self.volumes.prepare(self.pod, self.place)
            except (aiohttp.ClientError, KubeError, TimeoutError):
                await asyncio.sleep(0.5)

    async def _watch_over(self, box: Sandbox) -> int:
        """Report its readiness until it ends; its exit status."""
        ended = asyncio.ensure_future(box.process.wait())
        while not ended.done():
            ready = await self._probe(box)
            if ready != self.ready and not ended.done():
                self.ready = ready
                await self._report("Running")
            await asyncio.wait([ended], timeout=PROBE_SECONDS)
        return ended.result()

    async def _probe(self, box: Sandbox) -> bool:
        probe = self.container.get("readinessProbe")
        if not probe:
            return True
        if action := probe.get("httpGet"):
            return await self._fetches(f"http://{self.address}:{self._port(action['port'])}{action.get('path', '/')}")
        if action := probe.get("tcpSocket"):
            return await self._connects(self._port(action["port"]))
        return await box.execute(*probe["exec"]["command"]) == 0

    async def _fetches(self, url: str) -> bool:
        try:
            async with self.client.session.get(url, headers={"Authorization": ""}, timeout=SHORT) as response:
                return response.status < 400
        except (aiohttp.ClientError, TimeoutError):
            return False

    async def _connects(self, port: int) -> bool:
        try:
            async with asyncio.timeout(2):
                _, writer = await asyncio.open_connection(self.address, port)
        except (OSError, TimeoutError):
            return False
        writer.close()
        return True

    def _port(self, port: int | str) -> int:
        ports = {each.get("name"): int(each["containerPort"]) for each in self.container.get("ports", [])}
        return port if isinstance(port, int) else ports[port]

    def _command(self) -> list[str]:
        return [*self.container.get("command", []), *self.container.get("args", [])]

    def _environment(self) -> dict[str, str]:
        fields = {"metadata.name": self.name, "metadata.namespace": self.namespace, "status.podIP": self.address}
        found = {"HOSTNAME": self.name}
        for each in self.container.get("env", []):
            field = each.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
            found[each["name"]] = fields[field] if field else each.get("value", "")
        return found

    def _finished(self, status: int) -> bool:
        policy = self.pod["spec"].get("restartPolicy", "Always")
        return policy == "Never" or (policy == "OnFailure" and status == 0)

    async def _report(self, phase: str, exited: int | None = None) -> None:
        """Write the pod's status."""
        while True:
            try:
                await self.client.patch(
                    "Pod", self.namespace, self.name, {"status": self._status(phase, exited)}, "status"
                )
            except KubeError:
                return  # it is deleted
            except (aiohttp.ClientError, TimeoutError):
                await asyncio.sleep(0.5)
            else:
                return

    def _status(self, phase: str, exited: int | None) -> Body:
        over = {"terminated": {"exitCode": exited or 0, "finishedAt": now(), "startedAt": self.started}}
        waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
        state = {"running": {"startedAt": self.started}} if exited is None else waiting if phase == "Running" else over
        status = {
            "name": self.container["name"],
            "image": self.container["image"],
            "imageID": "",
            "ready": self.ready,
            "started": exited is None,
            "restartCount": self.restarts,
            "state": state,
            "lastState": over if exited is not None and phase == "Running" else {},
        }
        return {
            "phase": phase,
            "podIP": self.address,
            "podIPs": [{"ip": self.address}],
            "hostIP": self.network.gateway,
            "startTime": self.started,
            "containerStatuses": [status],
            "conditions": [condition(kind, good) for kind, good in self._conditions().items()],
        }

    def _conditions(self) -> dict[str, bool]:
        return {"PodScheduled": True, "Initialized": True, "ContainersReady": self.ready, "Ready": self.ready}


SHORT = aiohttp.ClientTimeout(total=2)


def condition(kind: str, good: bool) -> Body:
    return {"type": kind, "status": "True" if good else "False", "lastTransitionTime": now()}


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
