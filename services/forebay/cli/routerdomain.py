"""The pods of a Router in Kubernetes: how they are named, and find each other."""

import socket
from pathlib import Path

from forebay.api.v1alpha1 import Router
from forebay.router.configuration import Surroundings
from forebay.spill.resource import ManagedUrl


def domain_of(service: str, address: str, managed_url: ManagedUrl | None, tls: Path | None) -> Surroundings:
    """What is around this pod, whose name is that of its host.

    service: DNS name of the Service of the Router, which the certificates of its pods have. address: where it listens
    over UDP.
    """
    title, namespace = service.split(".")[:2]
    pods = RouterPods(title, namespace)
    return Surroundings(managed_url, address, socket.gethostname(), pods.addresses, tls, service if tls else "")


class RouterPods:
    """Addresses of pods by their ordinals."""

    def __init__(self, title: str, namespace: str) -> None:
        """title: of the StatefulSet."""
        self._title = title
        self._namespace = namespace

    def addresses(self, router: Router) -> list[str]:
        """`host:port` of all pods but this one."""
        spec, mine = router.spec, socket.gethostname()
        names = [f"{self._title}-{ordinal}" for ordinal in range(spec.replicas)]
        place = f"{self._title}-pods.{self._namespace}.svc:{spec.listeners.grpc.port}"
        return [f"{name}.{place}" for name in names if name != mine]
