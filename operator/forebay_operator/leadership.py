"""Leadership: of several operators one works, the one that holds a Lease."""

import os
import socket
import uuid
from collections.abc import Mapping
from random import Random
from typing import Any

from forebay.runtime import Clock, KubeLease, Lease, LeaseError
from forebay.runtime.kubeapi import Answer
from forebay_operator.errors import KubeError
from forebay_operator.kube import KubeClient

LEASE = "forebay-operator"


class LeaseApi:
    """The requests of a Lease, by the client that the operator has anyway."""

    def __init__(self, kube: KubeClient) -> None:
        self._kube = kube

    async def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Send one request; any status is an answer. Raises `LeaseError` when there is none."""
        try:
            return Answer(201 if method == "POST" else 200, await self._kube.call(method, path, dict(body or {})))
        except KubeError as error:
            if not error.status:
                raise LeaseError(str(error)) from error
            return Answer(error.status, {"message": str(error)})


def leadership(kube: KubeClient, namespace: str, clock: Clock) -> Lease:
    """The Lease of the operators of a namespace; for each process another name in it."""
    holder = f"{os.environ.get('POD_NAME') or socket.gethostname()}-{uuid.uuid4().hex[:8]}"
    record = KubeLease(LeaseApi(kube), namespace, LEASE, clock)
    return Lease(record, holder, clock, Random())  # noqa: S311 spreads tries, guards nothing
