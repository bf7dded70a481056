"""Pods: what all of them share, and what holds them to the restricted Pod Security Standard."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from forebay.api.v1alpha1 import Resource
from forebay_operator.body import Body
from forebay_operator.resources.body import given
from forebay_operator.resources.labels import kindred, labels
from forebay_operator.resources.network import TCP
from forebay_operator.settings import Placement, PodSettings, Settings

USER = 10001
"""User and group of every pod, and group of its volumes."""
FIRST_UNPRIVILEGED_PORT = 1024
SECRET_MODE = 0o440
"""Root owns the files; the group of the pod's volumes reads them."""
TEMPORARY_SIZE = "64Mi"
CONTAINER_SECURITY = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
}


@dataclass(frozen=True)
class Volume:
    """A volume and where it is seen."""

    name: str
    path: str
    source: Body = field(default_factory=dict)
    """Where its files come from, as a pod has it. Empty: a claim of the StatefulSet."""

    @property
    def is_given(self) -> bool:
        """Whether its files come from elsewhere, and are only read."""
        return bool(self.source) and "emptyDir" not in self.source


class Port(NamedTuple):
    """What a process listens on."""

    number: int
    protocol: str = TCP


@dataclass(frozen=True)
class Process:
    """What a pod runs."""

    name: str
    """Name of the container."""
    image: str
    command: tuple[str, ...]
    volumes: tuple[Volume, ...]
    resources: Body
    """Requests and limits."""
    ports: Mapping[str, Port] = field(default_factory=dict)
    """What it listens on, by name."""
    probes: Body = field(default_factory=dict)
    """Its probes, by their names in a container."""


def secret_volume(name: str, path: str, secret: str, items: Mapping[str, str] | None = None) -> Volume:
    """A Secret as files, followed as it changes; `items` are the names of its files by key, else there are all keys."""
    files = [{"key": key, "path": file} for key, file in (items or {}).items()]
    return Volume(name, path, {"secret": {"secretName": secret, "defaultMode": SECRET_MODE, **given(items=files)}})


def pod_template(
    owner: Resource, role: str, process: Process, settings: Settings, pods: PodSettings, **digests: str
) -> Body:
    """The template of a pod that runs one process.

    `digests`, as annotations of our domain, roll it when what it depends on has changed.
    """
    annotations = {f"forebay.dev/{name}": digest for name, digest in digests.items()}
    return {
        "metadata": {"labels": labels(owner, role), **given(annotations=annotations)},
        "spec": {
            "containers": [container(process, settings)],
            "volumes": volumes(process),
            "securityContext": pod_security(port.number for port in process.ports.values()),
            # Services reach nothing of the API server, nor do they need an environment that lists all Services.
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            **given(imagePullSecrets=[{"name": name} for name in settings.image.pull_secrets]),
            **placement(pods, role),
        },
    }


def container(process: Process, settings: Settings) -> Body:
    """The container of a process."""
    return {
        "name": process.name,
        "image": process.image,
        "imagePullPolicy": settings.image.pull_policy,
        "command": list(process.command),
        "volumeMounts": [mount(volume) for volume in process.volumes] + [{"name": "tmp", "mountPath": "/tmp"}],  # noqa: S108 a volume of the pod alone
        "securityContext": CONTAINER_SECURITY,
        **given(ports=container_ports(process), resources=process.resources),
        **process.probes,
    }


def container_ports(process: Process) -> list[Body]:
    """The ports of a process. The protocol is part of their key in server-side apply, so it is given."""
    ports = process.ports.items()
    return [{"name": name, "containerPort": port.number, "protocol": port.protocol} for name, port in ports]


def mount(volume: Volume) -> Body:
    """Where a volume is seen."""
    return {"name": volume.name, "mountPath": volume.path, **given(readOnly=volume.is_given)}


def volumes(process: Process) -> list[Body]:
    """The volumes of a pod beside its claims; /tmp is the one place of it that can be written to."""
    sources = [{"name": volume.name, **volume.source} for volume in process.volumes if volume.source]
    return [*sources, {"name": "tmp", "emptyDir": {"sizeLimit": TEMPORARY_SIZE}}]


def pod_security(ports: Iterable[int] = ()) -> Body:
    """The security context of a pod that listens on some ports."""
    low = [port for port in ports if port < FIRST_UNPRIVILEGED_PORT]
    # A safe sysctl: it holds in the pod's own network alone, and no capability has to be given instead.
    sysctls = [{"name": "net.ipv4.ip_unprivileged_port_start", "value": str(min(low))}] if low else []
    return {
        "runAsNonRoot": True,
        "runAsUser": USER,
        "runAsGroup": USER,
        "fsGroup": USER,
        # Without it every start walks through all files of the volume.
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
        **given(sysctls=sysctls),
    }


def placement(pods: PodSettings, role: str) -> Body:
    """Where a pod may run, and before whom."""
    return place(pods) | given(
        topologySpreadConstraints=[spread(constraint, role) for constraint in pods.topology_spread]
    )


def place(pods: Placement) -> Body:
    """Where pods may run that need not be spread."""
    return given(
        nodeSelector=pods.node_selector,
        tolerations=list(pods.tolerations),
        affinity=pods.affinity,
        priorityClassName=pods.priority_class_name,
    )


def spread(constraint: Body, role: str) -> Body:
    """A topology spread constraint, by default over all pods of the role.

    A resource alone may have one pod, of which there is nothing to spread.
    """
    return {"labelSelector": {"matchLabels": kindred(role)}, **constraint}
