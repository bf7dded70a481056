"""Messages of sessions on their way out."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable

    from forebay.conduit.core.wire.messages import SessionMessage


class Audience(Enum):
    """Whom a message is for that is not for one address."""

    GROUP = "group"
    """Whoever listens to the multicast address."""
    PEERS = "peers"
    """Every peer with a session: by the multicast address, or by one copy each where there is none."""


class Posted(NamedTuple):
    """A message and where it goes."""

    message: SessionMessage
    to: Hashable
    """An address, or an `Audience`."""
    receiver: bytes = b""
    """Id of the peer that alone may take it; empty: whoever is there."""
