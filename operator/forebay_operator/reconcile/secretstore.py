"""Secrets: those that we keep, and those of users that resources refer to."""

import asyncio
from base64 import b64decode
from collections.abc import Collection, Mapping

from forebay_operator.body import Body, Identity
from forebay_operator.configuration import texts_of
from forebay_operator.kube import KubeClient
from forebay_operator.kube.kinds import SECRET
from forebay_operator.queue import Depth
from forebay_operator.reconcile.ownership import check_ours, controller_of

Texts = Mapping[str, str]


class SecretStore:
    """Reads Secrets and writes our own by compare-and-swap."""

    def __init__(self, kube: KubeClient) -> None:
        self._kube = kube
        self._texts: dict[Identity, dict[str, Texts]] = {}
        """Of users' Secrets, by the resource that is made with them, then by `namespace/name`: no watch tells of them,
        and there may be one for each peer."""

    async def find(self, namespace: str, name: str) -> Body | None:
        """A Secret, or None."""
        return await self._kube.find(SECRET, namespace, name)

    async def put(self, body: Body, found: Body | None) -> None:
        """Write a Secret of ours unless `found`, which is what there is of that name, holds the same.

        Raises `ConflictError` when somebody was faster, `NameTakenError` when it is somebody else's.
        """
        if found is None:
            await self._kube.create(body)
            return
        check_ours(found, body)
        if holds(found, body):
            return
        if others := data_of(found).keys() - body["data"].keys():
            # What somebody else has put there, no apply takes away.
            patch = {"metadata": {"resourceVersion": version_of(found)}, "data": dict.fromkeys(others)}
            found = await self._kube.patch(SECRET, found["metadata"]["namespace"], found["metadata"]["name"], patch)
        await self._kube.apply({**body, "metadata": {**body["metadata"], "resourceVersion": version_of(found)}})

    async def texts(self, resource: Identity, names: Collection[str], depth: Depth) -> dict[str, Texts]:
        """The values of users' Secrets that a resource is made with, by `namespace/name`, without those missing.

        Each is read once, and again when it is to be verified or was missing.
        """
        known = {} if depth >= Depth.VERIFY else self._texts.get(resource, {})
        wanted = [name for name in names if name not in known]
        read = zip(wanted, await asyncio.gather(*map(self._read, wanted)), strict=True)
        found = {name: known[name] for name in names if name in known}
        found |= {name: texts for name, texts in read if texts is not None}
        self._texts[resource] = found
        return found

    def forget(self, resource: Identity) -> None:
        """Keep nothing of what a resource was made with, which is gone."""
        self._texts.pop(resource, None)

    async def _read(self, name: str) -> Texts | None:
        namespace, _, short = name.partition("/")
        found = await self.find(namespace, short)
        return None if found is None else texts_of(found)


def holds(found: Body, wanted: Body) -> bool:
    """Whether a Secret has exactly the wanted data, and the wanted labels, annotations and controller."""
    has, needs = found["metadata"], wanted["metadata"]
    return (
        data_of(found) == wanted["data"]
        and all(needs.get(part, {}).items() <= has.get(part, {}).items() for part in ("labels", "annotations"))
        and controller_of(found).get("uid") == controller_of(wanted).get("uid")
    )


def octets_of(secret: Body) -> dict[str, bytes]:
    """The values of a Secret's `data` by key."""
    return {key: b64decode(value) for key, value in data_of(secret).items()}


def data_of(secret: Body) -> Mapping[str, str]:
    """A Secret's `data`, in base64."""
    return secret.get("data") or {}


def version_of(secret: Body) -> str:
    """A Secret's resourceVersion, with which a write is refused when somebody was faster."""
    return str(secret["metadata"]["resourceVersion"])
