"""The volumes of pods as folders of this machine: claims, Secrets, and an empty folder for all else."""

import asyncio
import base64
import math
import shutil
from pathlib import Path

from authority import mount
from eventually import eventually
from kubeclient import Body, KubeClient
from sandbox import Mount

GIBIBYTE = 1024**3


class Volumes:
    """Folders by pod and volume; those of claims by claim, which outlive their pods."""

    def __init__(self, client: KubeClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.secrets: dict[tuple[str, str], dict[str, bytes]] = {}
        """What each mounted Secret last held."""
        self.mounted: dict[tuple[str, str], set[Path]] = {}
        """Folders that follow a Secret."""

    async def prepare(self, pod: Body, place: Path) -> list[Mount]:
        """The mounts of a pod's container; waits for Secrets that are not there yet, as the kubelet does."""
        namespace = pod["metadata"]["namespace"]
        sources = {}
        for volume in pod["spec"].get("volumes", []):
            sources[volume["name"]] = await self._source(namespace, volume, place / "volumes" / volume["name"])
        mounts = pod["spec"]["containers"][0].get("volumeMounts", [])
        found = [Mount(sources[each["name"]] / each.get("subPath", ""), each["mountPath"]) for each in mounts]
        for each in found:
            each.source.mkdir(parents=True, exist_ok=True)
        return sorted(found, key=lambda each: each.target)

    def release(self, place: Path) -> None:
        """Forget a pod's own volumes."""
        for folders in self.mounted.values():
            folders.difference_update([folder for folder in folders if folder.is_relative_to(place)])
        shutil.rmtree(place / "volumes", ignore_errors=True)

    def changed(self, secret: Body) -> None:
        """Rewrite the folders of a Secret that differs."""
        key = (secret["metadata"]["namespace"], secret["metadata"]["name"])
        content = decoded(secret)
        if self.mounted.get(key) and content != self.secrets.get(key):
            self.secrets[key] = content
            for folder in self.mounted[key]:
                mount(folder, content)

    async def _source(self, namespace: str, volume: Body, folder: Path) -> Path:
        if claim := volume.get("persistentVolumeClaim"):
            return self.folder / namespace / str(claim["claimName"])
        if secret := volume.get("secret"):
            await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
            await self._mount(namespace, secret, folder)
        return folder

    async def _mount(self, namespace: str, source: Body, folder: Path) -> None:
        name = source["secretName"]
        secret = await eventually(lambda: self.client.find("Secret", namespace, name), within=math.inf, every=0.2)
        content = decoded(secret)
        self.secrets[namespace, name] = content
        self.mounted.setdefault((namespace, name), set()).add(folder)
        mount(folder, {item["path"]: content[item["key"]] for item in items(source, content)})


def items(source: Body, content: dict[str, bytes]) -> list[Body]:
    """Which keys become which files."""
    return source.get("items") or [{"key": key, "path": key} for key in content]


def decoded(secret: Body) -> dict[str, bytes]:
    return {key: base64.b64decode(value) for key, value in secret.get("data", {}).items()}


def volume_for(claim: Body) -> Body:
    """A volume that the controller binds to this claim."""
    metadata, spec = claim["metadata"], claim["spec"]
    return {
        "metadata": {"name": f"pv-{metadata['uid']}"},
        "spec": {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "accessModes": spec["accessModes"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": spec.get("storageClassName", ""),
            "hostPath": {"path": "/nonexistent"},
            "claimRef": {"namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]},
        },
    }
