"""The certificate authorities: one a namespace, each kept in a Secret of the operator's own namespace."""

import asyncio
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime

import structlog

from forebay_operator.body import Body
from forebay_operator.certificates import Authority
from forebay_operator.errors import AuthorityError
from forebay_operator.queue import Depth
from forebay_operator.reconcile.secretstore import SecretStore, octets_of
from forebay_operator.resources.labels import OURS

log = structlog.stdlib.get_logger(__name__)


class Authorities:
    """Makes, renews and hands out the authorities."""

    def __init__(self, secrets: SecretStore, namespace: str, now: Callable[[], datetime]) -> None:
        """`namespace` is the operator's own."""
        self._secrets = secrets
        self._namespace = namespace
        self._now = now
        self._known: dict[str, Authority] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def of(self, namespace: str, depth: Depth) -> Authority:
        """The authority of a namespace as it has to be now; stored before anything is signed by it."""
        async with self._locks[namespace]:
            known = self._known.get(namespace)
            if known is None or depth >= Depth.VERIFY or known.advance(self._now()) is not known:
                known = self._known[namespace] = await self._stored(namespace, known)
            return known

    async def _stored(self, namespace: str, known: Authority | None) -> Authority:
        """What is stored, or else what is known, since certificates of it are in use, or else a new one."""
        found = await self._secrets.find(self._namespace, secret_name(namespace))
        kept = self._readable(namespace, found, known) or known or Authority.make(namespace, self._now())
        kept.check(self._now())
        wanted = kept.advance(self._now())
        await self._secrets.put(authority_secret(wanted, namespace, self._namespace), found)
        return wanted

    def _readable(self, namespace: str, found: Body | None, known: Authority | None) -> Authority | None:
        """The authority in its Secret, if there is one. Raises `AuthorityError` when it is damaged, and none known."""
        if found is None:
            return None
        try:
            return Authority.from_secret(namespace, octets_of(found))
        except AuthorityError as error:
            if known is None:
                raise
            log.warning("put back", problem=str(error))
            return None


def secret_name(namespace: str) -> str:
    """The Secret of a namespace's authority."""
    return f"forebay-ca-{namespace}"


def authority_secret(authority: Authority, namespace: str, own_namespace: str) -> Body:
    """The Secret of an authority: nobody's, for it outlives every resource."""
    data = {key: b64encode(value).decode() for key, value in authority.to_secret().items()}
    metadata = {"name": secret_name(namespace), "namespace": own_namespace, "labels": OURS}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": data}
