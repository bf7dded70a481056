"""The channels to the pods of all services, kept from one look to the next."""

import asyncio
import shutil
from collections.abc import Collection
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from forebay.runtime import CertificateFolder, ChannelSettings, ClientChannel
from forebay.runtime.certificates import Certificates
from forebay_operator.body import Body
from forebay_operator.pods.identity import write
from forebay_operator.pods.podclient import PodClient

CALLS_AT_ONCE = 32
LONGEST_BACKOFF = 5.0
"""Seconds: a pod that is back is seen soon."""


class Place(NamedTuple):
    """Where a pod is; one that was made anew, or whose network was, is elsewhere."""

    uid: str
    address: str


class PodClients:
    """The channels by service (`namespace/name`) and pod. `close` ends them."""

    def __init__(self, folder: Path) -> None:
        """`folder` takes the operator's certificates, a folder of files for each service."""
        self._folder = folder
        self._turns = asyncio.Semaphore(CALLS_AT_ONCE)
        self._folders: dict[str, CertificateFolder] = {}
        self._clients: dict[str, dict[Place, PodClient]] = {}

    def certificates(self, service: str) -> Certificates | None:
        """What the operator shows to a service and believes of it now; None before `trust`."""
        folder = self._folders.get(service)
        return folder.current if folder else None

    async def trust(self, service: str, certificates: Certificates) -> None:
        """Use these certificates of the operator for calls to a service."""
        if self.certificates(service) != certificates:
            await asyncio.to_thread(self._trust, service, certificates)

    def _trust(self, service: str, certificates: Certificates) -> None:
        path = self._folder / service
        write(path, certificates)
        if folder := self._folders.get(service):
            folder.refresh()
        else:
            self._folders[service] = CertificateFolder(path)

    def client(self, service: str, pod: Body, port: int, server_name: str) -> PodClient:
        """The client of a pod (its Body, with an address), which serves gRPC on `port` as `server_name`.

        A pod that is known keeps its port: that of a new template counts for the pods that are made of it. `trust` has
        to come first.
        """
        clients, place = self._clients.setdefault(service, {}), place_of(pod)
        if place not in clients:
            settings = ChannelSettings(server_name=server_name, longest_backoff=LONGEST_BACKOFF)
            channel = ClientChannel(target_of(place.address, port), self._folders[service], settings)
            clients[place] = PodClient(pod["metadata"]["name"], channel, self._turns)
        return clients[place]

    async def retain(self, service: str, pods: Collection[Body]) -> None:
        """Close the channels to other pods of the service than these; without any forget its certificates too."""
        places = {place_of(pod) for pod in pods if pod.get("status", {}).get("podIP")}
        clients = self._clients.get(service, {})
        gone = [clients.pop(place) for place in clients.keys() - places]
        await asyncio.gather(*(client.channel.close() for client in gone))
        if not pods and service in self._folders:
            del self._folders[service]
            self._clients.pop(service, None)
            await asyncio.to_thread(shutil.rmtree, self._folder / service)

    async def close(self) -> None:
        """Close all channels."""
        for service in list(self._clients):
            await self.retain(service, ())


def place_of(pod: Body) -> Place:
    """Where a pod is that has an address."""
    return Place(pod["metadata"]["uid"], pod["status"]["podIP"])


def target_of(address: str, port: int) -> str:
    """An IP address with a port, as grpc names it."""
    return f"ipv6:[{address}]:{port}" if ip_address(address).version == 6 else f"ipv4:{address}:{port}"
