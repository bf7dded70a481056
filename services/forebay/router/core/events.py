"""What a thread is told beside messages: typed events, each with the name of the control message that it stands for."""

from dataclasses import dataclass

from forebay.router.core.message import Marker


@dataclass(frozen=True)
class Dropped:
    """A message of the thread was dropped."""

    name: str
    """Why: skal-drop-no-recipient, skal-drop-no-network, skal-msg-drop-shutdown or skal-drop-ttl."""
    original_marker: Marker
    """Marks the message."""
    recipient: str
    """Whom the message was for, as `name@domain`."""
    extra: str
    """Where it was dropped, and why, for people."""


@dataclass(frozen=True)
class Crashed:
    """A process has crashed, anywhere."""

    process: str
    """Its name."""
    threads: tuple[str, ...]
    """Its threads, as `name@domain`."""
    reason: str
    """How it was noticed."""
    name: str = "skal-process-crashed"


Event = Dropped | Crashed
