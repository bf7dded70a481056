"""Somebody's access to an API server: a kubeconfig, and kubectl with it."""

import asyncio
import json
import os
import shutil
import subprocess
from functools import cached_property
from pathlib import Path
from typing import Any


def binaries() -> Path:
    """The folder of kube-apiserver, etcd, helm and perhaps kubectl."""
    cache = Path(os.environ.get("CLUSTER_CACHE", Path.home() / ".cache" / "forebay-cluster"))
    return Path(os.environ.get("KUBE_BINARIES", cache / "bin"))


def program(name: str) -> str | None:
    """The path of a program, of that folder or of PATH."""
    return shutil.which(name, path=f"{binaries()}{os.pathsep}{os.environ['PATH']}")


class KubectlError(AssertionError):
    """kubectl failed; the message is what it printed."""


class Access:
    """Who somebody is to the API server."""

    def __init__(self, folder: Path, url: str, authority: Path, name: str, token: str) -> None:
        """`folder` is where the kubeconfig is kept, `authority` the file of the server's certificate authority."""
        self.folder = folder
        self.url = url
        self.authority = authority
        self.name = name
        self.token = token

    @cached_property
    def kubeconfig(self) -> Path:
        """A file for KUBECONFIG."""
        path = self.folder / f"{self.name}.kubeconfig"
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "it", "cluster": {"server": self.url, "certificate-authority": str(self.authority)}}],
            "users": [{"name": "it", "user": {"token": self.token}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
            "current-context": "it",
        }
        path.write_text(json.dumps(content))
        return path

    def kubectl(self, *arguments: object, stdin: str = "", within: float = 60.0) -> str:
        """What kubectl prints. Raises `KubectlError`."""
        return run_kubectl(self.kubeconfig, *arguments, stdin=stdin, within=within)

    def apply(self, *objects: dict[str, Any], namespace: str = "") -> str:
        """kubectl apply; a namespace for objects that name none."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        place = ["-n", namespace] if namespace else []
        return self.kubectl("apply", *place, "-f", "-", stdin=text)

    def get(self, *arguments: object) -> Any:
        """kubectl get: an object, or a list of objects."""
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))

    def can(self, verb: str, resource: str, namespace: str = "") -> bool:
        """kubectl auth can-i."""
        place = ["-n", namespace] if namespace else ["--all-namespaces"]
        try:
            return self.kubectl("auth", "can-i", verb, resource, *place).strip() == "yes"
        except KubectlError as error:
            if str(error).endswith(("no", "no - no RBAC policy matched")):
                return False
            raise


def run_kubectl(kubeconfig: Path, *arguments: object, stdin: str = "", within: float = 60.0) -> str:
    """What kubectl prints. Raises `KubectlError`."""
    executable = program("kubectl")
    assert executable, "needs kubectl"
    command = [executable, *map(str, arguments)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(kubeconfig.parent), "KUBECONFIG": str(kubeconfig)}
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=within, check=False, env=environment
        )
    except subprocess.TimeoutExpired as error:
        raise KubectlError(f"{' '.join(command)}: no end after {within:g} s") from error
    if done.returncode:
        raise KubectlError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


async def in_thread(function: Any, *arguments: object, **options: object) -> Any:
    """Call something that waits, without holding up the loop."""
    return await asyncio.to_thread(function, *arguments, **options)
