"""Processes in pods that attach to routers: pods with the certificate of a client, and what their programs print."""

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from e2e.cluster import Body, until
from e2e.helperpod import helper_pod
from e2e.news import News
from e2e.release import Release
from kubeaccess import program

PROGRAM = Path(__file__).with_name("routerprogram.py")
TLS = "/etc/tls"
PORT = 7720


def member_pod(release: Release, name: str, secret: str, *arguments: object) -> Body:
    """A pod with a client's certificate at TLS: it runs the program, or without arguments nothing by itself."""
    body = helper_pod(release, name, PROGRAM, *arguments) if arguments else helper_pod(release, name)
    spec = body["spec"]
    spec["volumes"] = [{"name": "tls", "secret": {"secretName": secret, "defaultMode": 0o444}}]
    spec["containers"][0]["volumeMounts"] = [{"name": "tls", "mountPath": TLS, "readOnly": True}]
    return body


def service_of(router: str, namespace: str) -> str:
    """Where processes attach: to any pod of a Router."""
    return f"{router}-router.{namespace}.svc:{PORT}"


def pod_of(router: str, namespace: str, number: int) -> str:
    """One pod of a Router, by name."""
    return f"{router}-router-{number}.{router}-router-pods.{namespace}.svc:{PORT}"


class Running:
    """A program in a pod; what it prints is read in a thread of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.lines: list[Body] = []
        self.log: list[str] = []
        """What is no JSON."""
        self._process = process
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def told(self, what: str) -> list[Body]:
        """Lines of a kind."""
        return [line for line in list(self.lines) if line["what"] == what]

    def until(self, what: str, count: int = 1, within: float = 120) -> list[Body]:
        """Wait for so many lines of a kind."""

        def enough() -> bool:
            found = len(self.told(what))
            assert found >= count, f"{found} of {count} {what}; {self.log[-20:]}"
            return True

        until(enough, within, every=0.2)
        return self.told(what)

    def go_on(self) -> None:
        """Write a line to it."""
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                self.log.append(line)


@contextmanager
def running(news: News, pod: str, *arguments: object, source: Path = PROGRAM) -> Iterator[Running]:
    """A program in a pod, until the end of the context."""
    executable = program("kubectl")
    assert executable
    command = [executable, "--kubeconfig", news.cluster.kubeconfig, "exec", "-i", "-n", news.namespace, pod, "--"]
    with subprocess.Popen(
        [*map(str, command), "python3", "-c", source.read_text(), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield Running(process)
        finally:
            process.kill()


def asked(news: News, pod: str, router: str, recipient: str, text: str) -> Any:
    """One request from a pod: the line that tells of its reply, or why there is none."""
    with running(news, pod, "ask", router, TLS, recipient, text) as asker:
        until(lambda: asker.told("reply") or asker.told("failed") or _log(asker), 60, every=0.2)
        return (asker.told("reply") or asker.told("failed"))[0]


def logged(news: News, pod: str) -> list[Body]:
    """What the program of a pod has printed since the pod began."""
    found: list[Body] = []
    for line in news.cluster("logs", pod, "-n", news.namespace).splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def numbers(lines: Sequence[Body], what: str) -> list[int]:
    """The numbers of lines of a kind, in order."""
    return [int(line["number"]) for line in lines if line["what"] == what]


def _log(asker: Running) -> bool:
    raise AssertionError(asker.log[-20:])
