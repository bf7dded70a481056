"""How a router is to be."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from forebay.router.core.address import DEFAULT_DOMAIN

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class NameRule:
    """Names that a principal may use for its threads."""

    principal: str
    """Glob of the certificate's names; `*` also stands for callers without one."""
    names: Sequence[str]
    """Globs of thread names."""


@dataclass(frozen=True)
class OutletLimits:
    """What may wait to be written to one process or link, in octets of messages."""

    high: int = 8 * MEBIBYTE
    """From here on whoever sends there is told to wait."""
    low: int = 4 * MEBIBYTE
    """Below this they may go on."""
    most: int = 64 * MEBIBYTE
    """From here on nothing is taken into memory. It goes to the Spill; without one, what its sender keeps until it has
    a receipt is sent again later, and the rest is dropped. Messages to groups, which make nobody wait, may get there.
    """
    stalled: float = 1.0
    """Seconds for which somebody has to wait before there is an alarm."""
    response: int = MEBIBYTE
    """Of one gRPC message; one parcel may have more."""


@dataclass(frozen=True)
class RouterSettings:
    """One router."""

    router: str = "router-0"
    """Its name; no other of the domain has it."""
    domain: str = DEFAULT_DOMAIN
    """The domain that its threads are in."""
    heartbeat: float = 1.0
    """Seconds between two signs of life, either way."""
    missed: int = 3
    """How many have to fail before the other side counts as gone."""
    grace: float = 2.0
    """Seconds after the start, or after another router of the domain was lost, for which messages to a thread that is
    not known are kept: its process may be about to attach."""
    grace_octets: int = 64 * MEBIBYTE
    """Octets of messages that are kept so."""
    most_processes: int = 10_000
    """Processes that may be attached."""
    most_threads: int = 1_000_000
    """Threads that the domain may have."""
    most_groups: int = 10_000
    """Groups that the threads of one process may be in, each counted for each thread."""
    outlets: OutletLimits = field(default_factory=OutletLimits)
    """What may wait to be written."""
    names: Sequence[NameRule] = ()
    """Who may use which names; empty: everyone every name."""

    def may_use(self, principals: Sequence[str], name: str) -> bool:
        """Whether a process with one of these certificate names may have a thread of that name."""
        return not self.names or any(
            any(fnmatchcase(principal, rule.principal) for principal in principals or ("",))
            and any(fnmatchcase(name, pattern) for pattern in rule.names)
            for rule in self.names
        )
