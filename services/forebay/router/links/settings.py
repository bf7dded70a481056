"""How links are to be."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from forebay.router.links.window import RetrySettings
from forebay.runtime.backoff import BackoffSettings


@dataclass(frozen=True)
class LinkSettings:
    """A link that this router makes."""

    name: str
    """Name of the link, for people."""
    addresses: Sequence[str]
    """`host:port` of routers, that are tried in turn."""
    udp: bool = False
    """Over UDP, sealed by the key of all links, instead of gRPC: for networks that lose and delay much."""
    cost: int = 1
    """The way to a domain with the lowest sum of costs is taken."""
    domain: str = ""
    """That the other router has to be of; empty: whichever."""
    retry: RetrySettings | None = None
    """How this link makes up for what is lost; None: as all do."""
    server_name: str = ""
    """Name that the certificate of the other router has to have; empty: the host of its address."""
    peer: bool = False
    """It is to a router of the same domain."""
    suspended: bool = False
    """It is not made."""


@dataclass(frozen=True)
class DomainRule:
    """Routers of which domain are let in."""

    domain: str
    """Glob of the domain's name."""
    principals: Sequence[str]
    """Globs of the names in the certificates of its routers."""


@dataclass(frozen=True)
class LinksSettings:
    """All links of a router."""

    peers: Sequence[str] = ()
    """`host:port` of the other routers of the domain; its own address may be among them."""
    links: Sequence[LinkSettings] = ()
    """Links to routers of other domains."""
    tls: Path | None = None
    """Folder with tls.crt, tls.key and ca.crt; None: plain text."""
    server_name: str = ""
    """Name that the certificates of the domain's other routers have to have; empty: the hosts of their addresses."""
    udp_listen: str = ""
    """`host:port` where other routers may link over UDP, and from where this one does; empty: nowhere."""
    key: bytes = field(default=b"", repr=False)
    """Secret of up to 64 octets that seals links over UDP; all routers that link so have the same."""
    access: Sequence[DomainRule] = ()
    """Who may link; empty: every router whose certificate is good."""
    retry: RetrySettings = field(default_factory=RetrySettings)
    """How links make up for what is lost. The product of both is also how long a link that was lost is waited for
    before what waits for it is dropped."""
    backoff: BackoffSettings = field(default_factory=lambda: BackoffSettings(0.2, 5.0))
    """Waits between tries to link."""

    def wanted(self, domain: str) -> list[LinkSettings]:
        """All links that a router of a domain makes, those to its peers among them."""
        peers = [
            LinkSettings(f"peer {address}", [address], domain=domain, server_name=self.server_name, peer=True)
            for address in self.peers
        ]
        return [*peers, *self.links]

    def admits(self, principals: Sequence[str], domain: str) -> bool:
        """Whether a router of a domain with one of these certificate names may link."""
        return not self.access or any(
            fnmatchcase(domain, rule.domain)
            and any(fnmatchcase(name, pattern) for name in principals or ("",) for pattern in rule.principals)
            for rule in self.access
        )
