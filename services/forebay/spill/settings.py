"""Settings of the connection to Redis, and of one owner's spool."""

from dataclasses import dataclass, field
from typing import Literal

from forebay.runtime import BackoffSettings
from forebay.spill.errors import SpillSettingsError

RESTART = BackoffSettings()
"""For background work that ends by a fault of ours, which is logged."""
Durability = Literal["everysec", "always"]


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files, read again at each connection, so that a renewed certificate needs no restart."""

    ca_file: str | None = None
    """Who may have signed the server's certificate; None: the system's list."""
    cert_file: str | None = None
    """This client's certificate chain, where the server asks for one."""
    key_file: str | None = None
    """The key of `cert_file`."""


@dataclass(frozen=True, slots=True)
class SpillSettings:
    """How to reach Redis and how long to wait for it."""

    url: str = field(repr=False)
    """`redis://`, `rediss://`, `unix://`, `redis+sentinel://` or `redis+cluster://`, with an ACL user and password."""
    tls: TlsFiles = TlsFiles()
    """Used with `rediss://` and its kin only."""
    durability: Durability = "everysec"
    """`always`: an append returns once its entries are on Redis' disk (fast with `appendfsync always` only).
    `everysec`: it returns at once, and its `Durable` tells when they are, about a second later."""
    connect_timeout: float = 2.0
    """Seconds for one attempt to connect."""
    answer_timeout: float = 5.0
    """Seconds Redis has to answer a batch before it counts as unavailable."""
    reconnect_max: float = 5.0
    """Seconds; the longest pause between two attempts to connect."""
    lease_ttl: float = 15.0
    """Seconds an owner's lease outlives its last renewal, which comes each third of that."""
    holder: str = ""
    """Random hexadecimal digits that only this client knows, over restarts: whoever comes back with them need not wait
    for the leases of its former life. Empty: made anew each time."""

    def __post_init__(self) -> None:
        for name in ("connect_timeout", "answer_timeout", "reconnect_max", "lease_ttl"):
            if getattr(self, name) <= 0:
                raise SpillSettingsError(f"{name} is {getattr(self, name)}: give seconds above 0")


@dataclass(frozen=True, slots=True)
class SpoolSettings:
    """How one owner's streams are cut and bounded."""

    rotate_bytes: int = 10_000_000
    """Octets of entries that make a stream full. A full one that is old enough is closed, and another opened."""
    rotate_age: float = 300.0
    """Seconds a stream stays open at least, however full."""
    limit_bytes: int | None = None
    """Octets of backlog, deferred and resend above which the oldest entries go; None: no limit."""
    limit_age: float | None = None
    """Seconds after which an entry goes; None: never."""
