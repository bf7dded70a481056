"""The pods of a ConduitNode in Kubernetes: which one this is, and where the others are."""

import os
import socket
from pathlib import Path

from forebay.api.v1alpha1 import ConduitNode
from forebay.conduit.configuration import Surroundings
from forebay.conduit.service import ConduitNodeService
from forebay.runtime.errors import SettingsError
from forebay.spill.resource import ManagedUrl

POD = "FOREBAY_POD"
"""Variable with the name of the pod, whose host's name may be another."""


def conduit_pod(
    identity: tuple[str, str], folder: Path, service: str, address: str, managed_url: ManagedUrl | None
) -> ConduitNodeService:
    """The service of this pod. service: DNS name of its Service; address: where it listens. Raises `SettingsError`."""
    title, namespace = service.split(".")[:2]
    pods = ConduitPods(title, namespace, ordinal_of(title))
    return ConduitNodeService(identity, folder, Surroundings(managed_url, address, pods.ordinal, pods.places))


def ordinal_of(title: str) -> int:
    """The number of this pod of a StatefulSet. Raises `SettingsError`."""
    name = os.environ.get(POD) or socket.gethostname()
    number = name.removeprefix(f"{title}-")
    if not (number.isascii() and number.isdecimal()):
        raise SettingsError(f"this pod is {name}, and no {title}-0 or higher: give its name by {POD}")
    return int(number)


class ConduitPods:
    """Places of pods by their ordinals."""

    def __init__(self, title: str, namespace: str, ordinal: int) -> None:
        """title: of the StatefulSet; ordinal: of this pod."""
        self.ordinal = ordinal
        self._title = title
        self._namespace = namespace

    def places(self, node: ConduitNode) -> list[str]:
        """`udp/host:port` of all pods but this one."""
        others = (ordinal for ordinal in range(node.spec.replicas) if ordinal != self.ordinal)
        place = f"{self._title}-pods.{self._namespace}.svc:{node.spec.listeners.udp.port}"
        return [f"udp/{self._title}-{ordinal}.{place}" for ordinal in others]
