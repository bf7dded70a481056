"""Names of all objects that a resource is brought about with.

A resource's name has at most 40 characters, so that all of these fit: a StatefulSet's into 52, a label into 63.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from forebay.api.v1alpha1 import Resource
from forebay_operator.resources.checksums import digest
from forebay_operator.valkeysecret import valkey_name

VALKEY_PORT = 6379


@dataclass(frozen=True)
class Names:
    """Names of the objects of one resource."""

    kind: str
    """Its kind, as Outfeed."""
    namespace: str
    """Its namespace."""
    name: str
    """Its name."""

    @classmethod
    def of(cls, resource: Resource) -> Self:
        """Names of the objects of a resource."""
        return cls(*resource.identity)


class ServiceNames(Names):
    """Names of the objects of a service, such as an Outfeed."""

    @property
    def role(self) -> str:
        """What it is in labels."""
        return self.kind.lower()

    @property
    def main(self) -> str:
        """Its StatefulSet, the Service that clients use, and all else there is one of."""
        return f"{self.name}-{self.role}"

    @property
    def pods(self) -> str:
        """The headless Service that gives each pod a name."""
        return f"{self.main}-pods"

    @property
    def announce(self) -> str:
        """The Service by which BitTorrent clients reach an Announcer."""
        return f"{self.name}-announce"

    @property
    def links(self) -> str:
        """The Service by which routers outside the cluster link to a Router over UDP."""
        return f"{self.name}-links"

    def conduit(self, pod: int) -> str:
        """The Service by which peers outside the cluster reach one pod of a ConduitNode."""
        return f"{self.name}-conduit-{pod}"

    @property
    def config(self) -> str:
        """The Secret with its configuration."""
        return f"{self.main}-config"

    @property
    def tls(self) -> str:
        """The Secret with its certificate."""
        return f"{self.main}-tls"

    def client(self, client: str) -> str:
        """The Secret with the certificate of a client."""
        return f"{self.main}-client-{client}"


class SpillNames(Names):
    """Names of the objects of a Spill."""

    @property
    def valkey(self) -> str:
        """All objects of the Valkey that is run for it."""
        return valkey_name(self.name)

    @property
    def address(self) -> str:
        """Host and port of that Valkey."""
        return f"{self.valkey}.{self.namespace}.svc:{VALKEY_PORT}"

    def purge(self, uid: str) -> str:
        """The Job that deletes the keys of a service from it.

        A service may have used several Spills, each of which gets a Job of its own.
        """
        return f"purge-{uid}-{digest(self.name)[:8]}"


class CompactionNames(Names):
    """Names of the objects of a Compaction."""

    def run(self, generation: int, due: datetime) -> str:
        """A run: a label of RFC 1035, as Spark operators need it. Its minute (UTC) makes it one of a kind."""
        return f"{self.name}-{generation}-{due.astimezone(UTC):%Y%m%d%H%M}"
