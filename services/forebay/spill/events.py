"""What a service is told about its Redis."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Change(Enum):
    """What has happened."""

    AVAILABLE = "available"
    """Connected and checked, or no longer full."""
    UNAVAILABLE = "unavailable"
    """Out of reach, or unfit (the reason names the setting)."""
    FULL = "full"
    """Refuses new entries; draining goes on."""
    RESTARTED = "restarted"
    """Another process answers than the one the leases were held in: load the spools again, and audit them."""


@dataclass(frozen=True, slots=True)
class StateEvent:
    """One change, as listeners get it."""

    change: Change
    server: str
    """Host and port."""
    reason: str = ""
    empty: bool = False
    """With RESTARTED: not one of the owners' spools that were loaded is there any more."""


Listener = Callable[[StateEvent], None]
