"""The certificates of a service and of its clients, in Secrets; and the operator's own for calls to it."""

import asyncio
from collections.abc import Collection

from forebay.api.v1alpha1 import Service
from forebay.runtime.certificates import Certificates
from forebay_operator.body import Body
from forebay_operator.certificates import Authority, certificates_in, combined, problem_of, renewed
from forebay_operator.errors import MissingError
from forebay_operator.kube.kinds import SECRET
from forebay_operator.principals import OPERATOR, client_names, server_name, server_names
from forebay_operator.queue import Depth
from forebay_operator.reconcile.secretstore import octets_of
from forebay_operator.reconcile.world import World
from forebay_operator.resources import ServiceNames, noted_clients, server_secret, tls_secret

KUBECTL = "kubectl"
"""The client that every service has: the kubectl plugin."""


class Certifying:
    """Keeps the certificates of services."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._own: dict[str, Certificates] = {}
        """The operator's own certificate, by namespace."""

    async def certify(self, service: Service, depth: Depth) -> None:
        """Bring about the certificates of a service, and trust it.

        Raises `MissingError` where it names a Secret that can't serve.
        """
        names = ServiceNames.of(service)
        authority = await self._world.authorities.of(names.namespace, depth)
        found = await self._world.secrets.find(names.namespace, names.tls)
        served = await self._served(service, names, authority, found)
        noted = noted_clients(found) if found else set()
        # Before any is issued: whatever happens then, none is forgotten.
        await self._put_server(service, served, found, noted.union(service.spec.clients))
        await self._issue(service, names, authority, served.authorities)
        if gone := noted.difference(service.spec.clients):
            await self._take_back(service, names, gone)
            found = await self._world.secrets.find(names.namespace, names.tls)
            await self._put_server(service, served, found, service.spec.clients)
        own = self._own_certificate(names.namespace, authority)
        await self._world.pods.trust(service_of(names), own._replace(authorities=served.authorities))

    async def _served(
        self, service: Service, names: ServiceNames, authority: Authority, found: Body | None
    ) -> Certificates:
        """The certificate that the service shows: the one its users bring, or the one that was found, or another."""
        if service.spec.tls is None:
            current = certificates_in(octets_of(found)) if found else None
            return renewed(current, authority, server_names(names.main, names.namespace), self._world.now())
        return combined(await self._given(names, service.spec.tls.secret_ref.name), authority)

    async def _given(self, names: ServiceNames, name: str) -> dict[str, bytes]:
        """What is in the Secret that its users bring."""
        where = f"Secret {name}, which spec.tls.secretRef names"
        if name == names.tls:
            raise MissingError("CertificateUnusable", f"{where}, is the operator's own: name another, or none")
        found = await self._world.secrets.find(names.namespace, name)
        if found is None:
            raise MissingError("SecretMissing", f"there is no {where}; make it")
        data = octets_of(found)
        if problem := problem_of(data, server_name(names.main, names.namespace), self._world.now()):
            raise MissingError("CertificateUnusable", f"{where}: {problem}")
        return data

    async def _put_server(
        self, service: Service, served: Certificates, found: Body | None, clients: Collection[str]
    ) -> None:
        await self._world.secrets.put(server_secret(service, *served[:3], clients), found)

    async def _issue(self, service: Service, names: ServiceNames, authority: Authority, believed: bytes) -> None:
        """Keep the certificates of the clients, who believe the authorities that are given."""
        clients = {KUBECTL, *service.spec.clients}
        await asyncio.gather(*(self._keep(service, names, client, authority, believed) for client in clients))

    async def _keep(
        self, service: Service, names: ServiceNames, client: str, authority: Authority, believed: bytes
    ) -> None:
        """Keep the certificate that is in the Secret of a client, or put another there where one is due."""
        found = await self._world.secrets.find(names.namespace, names.client(client))
        current = certificates_in(octets_of(found)) if found else None
        wanted = client_names(client, names.namespace)
        chain, key, authorities, _ = renewed(current, authority, wanted, self._world.now(), believed)
        await self._world.secrets.put(tls_secret(service, names.client(client), chain, key, authorities), found)

    async def _take_back(self, service: Service, names: ServiceNames, clients: Collection[str]) -> None:
        """Delete the Secrets of clients that are none any more."""
        for client in set(clients) - {KUBECTL}:
            await self._world.objects.remove(SECRET, service, names.client(client))

    def _own_certificate(self, namespace: str, authority: Authority) -> Certificates:
        own = renewed(self._own.get(namespace), authority, [OPERATOR], self._world.now())
        self._own[namespace] = own
        return own


def service_of(names: ServiceNames) -> str:
    """A service to the clients of its pods."""
    return f"{names.namespace}/{names.main}"
