"""The program kubectl, which knows every way to reach a cluster and to log in to it."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from forebay.cli.kubectl.errors import KubectlError
from forebay.cli.kubectl.refusals import refusal

Body = dict[str, Any]
"""An object of the API server."""
PROGRAM = "KUBECTL"
"""Environment variable that names the program."""
PATIENCE = "--request-timeout=30s"


@dataclass(frozen=True)
class Kubectl:
    """kubectl as one command uses it: which cluster, and which namespace."""

    namespace: str = ""
    """Empty: that of the context."""
    context: str = ""
    kubeconfig: str = ""
    everywhere: bool = False
    """Whether lists are of all namespaces."""

    def get(self, *arguments: str) -> Body:
        """What `kubectl get` finds, as JSON. Raises `KubectlError`."""
        scope = ["--all-namespaces"] if self.everywhere else []
        found: Body = json.loads(self._run(self.command("get", *arguments, *scope, PATIENCE, "--output=json")) or "{}")
        return found

    def items(self, *arguments: str) -> list[Body]:
        """All objects that `kubectl get` finds, be they none, one or a list. Raises `KubectlError`."""
        found = self.get(*arguments, "--ignore-not-found")
        listed: list[Body] = found.get("items", [found] if found else [])
        return listed

    def command(self, *arguments: str) -> list[str]:
        """A whole command line. Raises `KubectlError` when there is no kubectl."""
        given = {"--namespace": self.namespace, "--context": self.context, "--kubeconfig": self.kubeconfig}
        return [program(), *arguments, *(f"{option}={value}" for option, value in given.items() if value)]

    def _run(self, command: Sequence[str]) -> str:
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise KubectlError(f"{command[0]}: {error.strerror}", f"See what {PROGRAM} names.") from error
        if done.returncode:
            raise refusal(done.stderr)
        return done.stdout


def program() -> str:
    """The program to run. Raises `KubectlError` when there is none."""
    found = os.environ.get(PROGRAM) or shutil.which("kubectl")
    if not found:
        raise KubectlError(
            "there is no kubectl on PATH", f"Install it, or name it by the environment variable {PROGRAM}."
        )
    return found
