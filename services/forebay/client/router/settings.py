"""How a process and its threads are to be."""

from dataclasses import dataclass, field

from forebay.router.core.flowcontrol import FlowSettings
from forebay.router.core.outbox import OutboxSettings
from forebay.router.core.threadqueue import QueueLimits
from forebay.runtime import BackoffSettings

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class ProcessSettings:
    """One process. All times are in seconds."""

    queue: QueueLimits = field(default_factory=QueueLimits)
    """When the senders to a thread have to wait, unless the thread has limits of its own."""
    flow: FlowSettings = field(default_factory=FlowSettings)
    """How long threads wait for each other."""
    outbox: OutboxSettings = field(default_factory=OutboxSettings)
    """How much may be on its way to one recipient, and when it is sent again."""
    most_octets: int = 64 * MEBIBYTE
    """Octets to one recipient that may wait to be sent or for their receipt; sending beyond it fails. Whoever awaits
    `drain` does not get there."""
    request_octets: int = MEBIBYTE
    """Octets of messages of one gRPC message; one message may have more."""
    backoff: BackoffSettings = field(default_factory=lambda: BackoffSettings(0.1, 2.0))
    """Waits between tries when the router is away; it may ask for longer ones."""
    patience: float = 30.0
    """How long a router may be away when the process begins. Later it is tried for ever."""
    farewell: float = 10.0
    """How long the end of the process waits for handlers to return, and then for the receipts of what was sent."""
    idle: float = 60.0
    """How long what is known of a recipient is kept when nothing is sent to it."""
