"""The configuration of a service: stored in its Secret, and sent to its pods."""

import asyncio
from collections.abc import Mapping, Sequence

import structlog

from forebay.api.v1alpha1 import Service
from forebay.runtime import ConfigDocument, InvalidArgumentError
from forebay.runtime.document import decode
from forebay_operator.body import Body, Identity, identity_of
from forebay_operator.configuration import Composition, next_revision
from forebay_operator.pods import PodClient, PodView
from forebay_operator.principals import server_name
from forebay_operator.queue import Key
from forebay_operator.reconcile.certifying import service_of
from forebay_operator.reconcile.secretstore import octets_of
from forebay_operator.reconcile.world import World
from forebay_operator.resources import ServiceNames, config_secret
from forebay_operator.resources.secrets import DOCUMENT, REVISION

LONGEST_REVISION = 18
"""Digits that fit into the 64 bits of a message, with room for more revisions."""

log = structlog.stdlib.get_logger(__name__)


class Stored:
    """What the Secret of a service's configuration holds."""

    def __init__(self, secret: Body | None) -> None:
        data = octets_of(secret) if secret else {}
        self.secret = secret
        self.document = data.get(DOCUMENT, b"")
        self.revision = revision_in(data.get(REVISION, b""))
        """0 where there is none, or none that can be."""

    def holds(self, composition: Composition) -> bool:
        """Whether it is a configuration of this content, which a service can start with."""
        return self.revision > 0 and composition.is_in(self.document)

    def manifests(self) -> Mapping[Identity, Body]:
        """The manifests in it, by identity; none when it can't be read."""
        try:
            found = decode(max(self.revision, 1), self.document).manifests
            return {identity_of(manifest): manifest for manifest in found}
        except (InvalidArgumentError, KeyError):
            return {}


class Configuring:
    """Stores and sends configurations."""

    def __init__(self, world: World) -> None:
        self._world = world

    def clients(self, service: Service, pods: Sequence[Body]) -> list[PodClient]:
        """The clients of the pods that have an address."""
        names = ServiceNames.of(service)
        port, checked = service.spec.listeners.grpc.port, server_name(names.main, names.namespace)
        return [self._world.pods.client(service_of(names), pod, port, checked) for pod in pods if has_address(pod)]

    async def stored(self, key: Key) -> Stored:
        """What is stored of a service's configuration; nothing where Secrets can't be read."""
        if key.namespace not in self._world.settings.namespaces:
            return Stored(None)
        return Stored(await self._world.secrets.find(key.namespace, ServiceNames(*key).config))

    async def configure(
        self, service: Service, stored: Stored, composition: Composition, clients: Sequence[PodClient]
    ) -> tuple[int, list[PodView]]:
        """Store the configuration where it differs, and send it to each pod that has an older one.

        The revision that is stored then, and what the pods say. Raises `ConflictError` when somebody else has written.
        """
        views = await views_of(clients)
        # Beside the loop: with thousands of children it takes a while.
        changed = not await asyncio.to_thread(stored.holds, composition)
        revision = next_revision(stored.revision, [view.revision for view in views], changed=changed)
        document = composition.document if changed else stored.document
        await self._world.secrets.put(config_secret(service, revision, document), stored.secret)
        if revision != stored.revision:
            log.info("configuration stored", revision=revision, resources=len(composition.manifests))
        sent = composition.at(revision)
        return revision, list(
            await asyncio.gather(*(updated(client, view, sent) for client, view in zip(clients, views, strict=True)))
        )


def revision_in(text: bytes) -> int:
    """The revision that a Secret tells; 0 where somebody has written what can't be one."""
    return int(text) if text.isdigit() and len(text) <= LONGEST_REVISION else 0


async def updated(client: PodClient, view: PodView, document: ConfigDocument) -> PodView:
    """Send a configuration to a pod that has an older one; what the pod says then."""
    return await client.apply(document) if view.reachable and view.revision < document.revision else view


async def views_of(clients: Sequence[PodClient]) -> list[PodView]:
    """What the pods say."""
    return list(await asyncio.gather(*(client.view() for client in clients)))


def has_address(pod: Body) -> bool:
    """Whether a pod can be called."""
    return bool(pod.get("status", {}).get("podIP")) and pod["status"].get("phase") not in ("Succeeded", "Failed")
