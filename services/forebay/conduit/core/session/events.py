"""What a node tells of its peers."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable


class PeerChange(Enum):
    """What happened to a session."""

    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    RECONNECTED = "reconnected"
    """The peer had restarted, or had lost the session: what it had declared is void, and a new session is there."""


class PeerEvent(NamedTuple):
    """One change of one session."""

    change: PeerChange
    peer_id: bytes
    address: Hashable
    previous: bytes | None = None
    """RECONNECTED: the id that the peer had before; the same one when it did not restart."""
    reason: str = ""
    """DISCONNECTED: why."""
