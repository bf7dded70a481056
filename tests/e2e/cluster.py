"""The cluster that KUBECONFIG names, and what tests do with it."""

import ipaddress
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from kubeaccess import KubectlError, program, run_kubectl

T = TypeVar("T")
Body = dict[str, Any]
ALLOWED = "FOREBAY_E2E_CONTEXT"


class GuardError(Exception):
    """The cluster may be one that somebody needs."""


class Cluster:
    """kubectl on that cluster."""

    def __init__(self, kubeconfig: Path) -> None:
        self.kubeconfig = kubeconfig

    def __call__(self, *arguments: object, stdin: str = "", within: float = 180.0) -> str:
        """What kubectl prints. Raises `KubectlError`."""
        return run_kubectl(self.kubeconfig, *arguments, stdin=stdin, within=within)

    def json(self, *arguments: object, stdin: str = "") -> Any:
        """kubectl with JSON as its output."""
        return json.loads(self(*arguments, "-o", "json", stdin=stdin))

    def items(self, kind: str, namespace: str, *options: object) -> list[Body]:
        return list(self.json("get", kind, "-n", namespace, *options)["items"])

    def apply(self, *bodies: Body, namespace: str) -> str:
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": bodies})
        return self("apply", "-n", namespace, "-f", "-", stdin=text)

    def exists(self, *arguments: object) -> bool:
        return bool(self("get", *arguments, "--ignore-not-found", "-o", "name").strip())

    def guard(self) -> None:
        """Refuse a cluster that is not on this machine or its own network. Raises `GuardError`."""
        view = self.json("config", "view", "--minify")
        context, server = view["current-context"], view["clusters"][0]["cluster"]["server"]
        if not is_near(urlsplit(server).hostname or "") and os.environ.get(ALLOWED) != context:
            raise GuardError(f"{server} may be in use: these tests delete; to allow it, set {ALLOWED}={context}")

    @contextmanager
    def forwarded(self, target: str, namespace: str, port: int | str) -> Iterator[int]:
        """A local port that leads to one of a Service or Pod, by its number or name."""
        executable = program("kubectl")
        assert executable
        command = [executable, "port-forward", "-n", namespace, target, f":{port}", "--address", "127.0.0.1"]
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            try:
                assert process.stdout
                line = process.stdout.readline()
                assert line.startswith("Forwarding from"), line
                yield int(line.split(":")[1].split()[0])
            finally:
                process.terminate()


def is_near(host: str) -> bool:
    """Whether a host is this machine, or an address of a private network."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private


def until(check: Callable[[], T], within: float = 180.0, every: float = 0.5) -> T:
    """Call `check` until it gives something true; failures by assertion or kubectl are tried again as well."""
    deadline = time.monotonic() + within
    while True:
        try:
            if value := check():
                return value
            problem = AssertionError(f"still {value!r} after {within:g} s")
        except (AssertionError, KubectlError) as error:
            problem = error
        if time.monotonic() > deadline:
            raise problem
        time.sleep(every)
