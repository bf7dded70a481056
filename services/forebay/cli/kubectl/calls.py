"""Calling a service in a cluster: through a tunnel to its pod, with a client's certificate."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvloop

from forebay.api.v1alpha1 import Outfeed, Service
from forebay.cli.errors import AwayError, CliError
from forebay.cli.kubectl.cluster import service_of
from forebay.cli.kubectl.credentials import certificate_files, private_folder
from forebay.cli.kubectl.objects import Pod
from forebay.cli.kubectl.problems import pod_step
from forebay.cli.kubectl.program import Kubectl
from forebay.cli.kubectl.tunnel import tunnel
from forebay.runtime import PermissionDeniedError, UnavailableError, configure_logs

LOOPBACK = "127.0.0.1"
SIGNALLED = 128
"""The exit status of what a signal ended is this more than the signal's number."""

Work = Callable[[str, Path], Awaitable[None]]
"""What is done with the address of a service and the folder of a client's certificate."""


@dataclass(frozen=True)
class Line:
    """A service that can be called, and who calls."""

    kubectl: Kubectl
    service: Service
    files: dict[str, bytes] = field(repr=False)
    """Of the client's certificate, by name."""

    @property
    def place(self) -> str:
        """Kind, name and namespace, as this plugin takes them."""
        return place_of(self.service)

    @property
    def pod(self) -> str:
        """Name of the pod."""
        return pod_name(self.service)

    @property
    def server(self) -> str:
        """The name that the service's certificate is good for."""
        return f"{main_name(self.service)}.{self.service.metadata.namespace}.svc"

    def forward(self, port: int) -> list[str]:
        """The command that forwards a port of this machine."""
        ports = f"{port or ''}:{self.service.spec.listeners.grpc.port}"
        return self.kubectl.command("port-forward", f"pod/{self.pod}", ports, f"--address={LOOPBACK}")


def line_to(kubectl: Kubectl, name: str, client: str, kind: type[Service] = Outfeed) -> Line:
    """See that a service can be called. Raises `CliError` with what to do when not."""
    service = service_of(kubectl, kind, name)
    check_pod(kubectl, service)
    return Line(kubectl, service, certificate_files(kubectl, service, client))


def check_pod(kubectl: Kubectl, service: Service) -> None:
    """See that the pod of a service runs. Raises `AwayError`."""
    name = pod_name(service)
    found = kubectl.items("pods", name)
    if not found:
        raise AwayError(f"there is no pod {name}", f"See why: kubectl forebay status {place_of(service)}")
    pod = Pod(found[0])
    if not pod.running:
        raise AwayError(f"pod {name} does not run ({pod.phase}): {pod.ready.message}", f"See: {pod_step(pod)}")


def place_of(service: Service) -> str:
    """Kind, name and namespace, as this plugin takes them."""
    return f"{service.kind.lower()}/{service.metadata.name} -n {service.metadata.namespace}"


def main_name(service: Service) -> str:
    """Name of the Service and the StatefulSet of a service."""
    return f"{service.metadata.name}-{service.kind.lower()}"


def pod_name(service: Service) -> str:
    """Name of the one pod of a service."""
    return f"{main_name(service)}-0"


def call(line: Line, work: Work) -> None:
    """Do something with a service, and leave nothing behind, whatever ends it. Raises `CliError`, `ServiceError`."""
    configure_logs("warning")
    uvloop.run(_signalled(_call(line, work)))


async def _call(line: Line, work: Work) -> None:
    with private_folder(line.files) as folder, _explained(line):
        async with tunnel(line.forward) as port:
            await work(f"{line.server}@{LOOPBACK}:{port}", folder)


async def _signalled(work: Awaitable[None]) -> None:
    """Await work; SIGTERM and SIGHUP cancel it, as Ctrl-C does. By themselves they would run no `finally`."""
    task = asyncio.ensure_future(work)
    received: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        received.append(number)
        task.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    try:
        await task
    except asyncio.CancelledError:
        if not received:
            raise
        raise SystemExit(SIGNALLED + received[0]) from None


@contextmanager
def _explained(line: Line) -> Iterator[None]:
    """Errors of a call with the next step in a cluster."""
    try:
        yield
    except UnavailableError as error:
        step = f"See: kubectl logs {line.pod} -n {line.service.metadata.namespace}"
        raise AwayError(error.message, step) from error
    except PermissionDeniedError as error:
        raise CliError(error.message, f"See who may: kubectl forebay access {line.place}") from error
