"""What a queue is to be, as its process has to know it."""

from dataclasses import dataclass
from typing import Literal

Overflow = Literal["drop-head", "reject-publish", "reject-publish-dead-letter"]


@dataclass(frozen=True)
class QueueSpec:
    """One queue. Times are in milliseconds, 0 in a number means that there is no limit where nothing else is said."""

    name: str
    uid: str
    """Identity, which a namesake does not share."""
    durable: bool = True
    bindings: tuple[str, ...] = ()
    """Patterns of addresses: `*` for one word, `#` for any number."""
    ttl_ms: int | None = None
    """None: no limit; 0: delivered at once or never."""
    expires_ms: int | None = None
    """None: never."""
    max_length: int | None = None
    """Most messages; None: no limit."""
    max_octets: int | None = None
    """Most octets; None: no limit."""
    overflow: Overflow = "drop-head"
    count_unacked: bool = False
    """The limits count what consumers hold too."""
    max_priority: int = 0
    dead_letter_address: str = ""
    """Empty: there are no dead letters."""
    delivery_limit: int = 0
    single_active_consumer: bool = False
    implementation: str = "variable"
    """Name of what keeps its messages."""
