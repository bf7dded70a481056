"""The pods of a Store in Kubernetes: how they know, find and reach each other."""

import socket
from pathlib import Path

from forebay.api.v1alpha1 import Store
from forebay.client.channels import open_channel
from forebay.runtime import ClientChannel, KubeLease, LeaseSettings, SystemClock, in_cluster
from forebay.runtime.grpcserver import LARGE_MESSAGE_LIMIT
from forebay.store.standby.pod import Cluster

LEASE = LeaseSettings(seconds=6.0)
"""Short, since nothing is confirmed from the death of a primary to the end of its lease."""


def cluster_of(store: Store, service: str, tls: Path | None) -> Cluster:
    """The cluster that this pod, whose name is that of its host, is part of.

    service: DNS name of the Service of the store, which the certificates of its pods have. Raises `SettingsError`
    outside of Kubernetes. Called within a running event loop.
    """
    namespace, title = store.metadata.namespace, service.split(".", 1)[0]
    pods = StorePods(title, namespace, store.spec.listeners.grpc.port, service if tls else "", tls)
    record = KubeLease(in_cluster(), namespace, title, SystemClock())
    return Cluster(
        socket.gethostname(), pods.name(0), record, pods.connect, pods.address, pods.others, pods.certified, LEASE
    )


class StorePods:
    """Names and addresses of pods by their ordinals."""

    def __init__(self, title: str, namespace: str, port: int, certified: str, tls: Path | None) -> None:
        """title: of the StatefulSet. certified: name that the pods' certificates have; empty: plain text is spoken."""
        self.certified = certified
        self._title = title
        self._namespace = namespace
        self._port = port
        self._tls = tls

    def others(self, mirrors: int) -> list[str]:
        """Names of all pods but this one."""
        mine = socket.gethostname()
        return [name for name in map(self.name, range(mirrors + 1)) if name != mine]

    def name(self, ordinal: int) -> str:
        """The name of a pod."""
        return f"{self._title}-{ordinal}"

    def address(self, name: str) -> str:
        """Where a pod of that name is, for clients within Kubernetes."""
        place = f"{name}.{self._title}-pods.{self._namespace}.svc:{self._port}"
        return f"{self.certified}@{place}" if self.certified else place

    def connect(self, name: str) -> ClientChannel:
        """A channel to the pod of that name."""
        return open_channel(self.address(name), self._tls, LARGE_MESSAGE_LIMIT)
