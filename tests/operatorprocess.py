"""The operator as a process of a test."""

import json
import sys
from pathlib import Path
from typing import Any

import aiohttp
import yaml

from kubeaccess import Access
from ports import free_port
from processes import Running

FAULTS = ("error", "critical")
RETRIED = "will retry"
"""kopf tells so of every request that it will send again, as an error."""


class OperatorProcess:
    """Starts the operator, again and again if need be, with one log."""

    def __init__(self, access: Access, folder: Path, namespace: str, settings: dict[str, Any], name: str = "a") -> None:
        """`access` is the operator's own; `namespace` is where its pod would be; `name` tells replicas apart."""
        self.access = access
        self.name = name
        self.settings = folder / "settings.yaml"
        self.settings.write_text(yaml.safe_dump(settings))
        self.log = folder / f"operator-{name}.log"
        self.log.touch()
        self.namespace = namespace
        self.port = free_port()
        self.running: Running | None = None

    def start(self) -> None:
        """Start it; whether it gets on is seen by what it does."""
        assert not self.alive
        command = [sys.executable, "-m", "forebay_operator.main"]
        options = ["--settings", self.settings, "--http", f"127.0.0.1:{self.port}"]
        environment = {
            "KUBECONFIG": str(self.access.kubeconfig),
            "POD_NAMESPACE": self.namespace,
            "POD_NAME": f"operator-{self.name}",
            "PYTHONUNBUFFERED": "1",
        }
        self.running = Running([*command, *options], self.log, environment)

    @property
    def alive(self) -> bool:
        return self.running is not None and self.running.running

    def kill(self) -> None:
        """End it by SIGKILL."""
        if self.running:
            self.running.kill()

    def stop(self) -> None:
        """End it by SIGTERM; it has to end well."""
        if self.running and self.alive:
            status = self.running.stop()
            assert status == 0, self.running.tail()

    def entries(self) -> list[dict[str, Any]]:
        """Its log."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def faults(self) -> list[str]:
        """What it logged and should not have."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if is_fault(line)]

    def resident(self) -> int:
        """Octets of memory that it has."""
        assert self.running
        status = Path(f"/proc/{self.running.process.pid}/status").read_text()
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    async def page(self, path: str) -> str:
        """A page of its health port. Raises `aiohttp.ClientError`."""
        async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{self.port}{path}") as response:
            response.raise_for_status()
            return await response.text()


def is_fault(line: str) -> bool:
    """Whether a line of the log is an error that should not be, or no entry at all, as a traceback."""
    if not line.startswith("{"):
        return True
    entry = json.loads(line)
    return entry.get("level") in FAULTS and RETRIED not in entry["event"]
