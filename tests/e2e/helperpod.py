"""Pods of tests beside Forebay's: a program of Python in its image."""

from pathlib import Path

from e2e.cluster import Body
from e2e.release import Release

SLEEP = "import time; time.sleep(86400)"


def helper_pod(release: Release, name: str, program: str | Path = SLEEP, *arguments: object) -> Body:
    """A pod with the label `app`, as the restricted standard wants it."""
    image = release.values["image"]
    text = program.read_text() if isinstance(program, Path) else program
    container = {
        "name": "helper",
        "image": f"{image['repository']}:{image['tag']}",
        "imagePullPolicy": image["pullPolicy"],
        "command": ["python3", "-c", text, *map(str, arguments)],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    security = {"runAsNonRoot": True, "runAsUser": 10001, "seccompProfile": {"type": "RuntimeDefault"}}
    # It does not wait for signals, so that it need not be waited for either.
    spec = {"containers": [container], "securityContext": security, "terminationGracePeriodSeconds": 1}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}}, "spec": spec}


def helper_service(name: str, port: int) -> Body:
    """A Service in front of such a pod."""
    spec = {"selector": {"app": name}, "ports": [{"port": port}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}
