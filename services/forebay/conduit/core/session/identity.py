"""What nodes of our own kind add to SCOUT, OPEN and ACCEPT, as a vendor's properties that others skip.

A SCOUT says whose it is, so that a peer that restarted at the same address is known at once. OPEN and ACCEPT say which
session of their sender they belong to: its numbers rise, so that one that was duplicated in the network, or late, is
told from one of a peer that has lost its session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.wire.properties import property_value

if TYPE_CHECKING:
    from forebay.conduit.core.wire.messages import Properties

PEER_ID = 33
"""Property of SCOUT: the sender's peer id."""
SESSION = 35
"""Property of OPEN and ACCEPT: the sender's number of this session, 8 octets, big-endian."""
SESSION_OCTETS = 8
LIFE_BITS = 32
MASK = (1 << 8 * SESSION_OCTETS) - 1


def with_session(properties: Properties, session: int) -> Properties:
    """The properties and the number of a session."""
    return (*properties, (SESSION, (session & MASK).to_bytes(SESSION_OCTETS, "big")))


def session_of(properties: Properties) -> int | None:
    """The number of the sender's session; None where it does not tell."""
    value = property_value(properties, SESSION)
    return int.from_bytes(value, "big") if value is not None and len(value) == SESSION_OCTETS else None


def peer_id_of(properties: Properties) -> bytes | None:
    """Whose SCOUT it is; None where it does not tell."""
    return property_value(properties, PEER_ID)


def is_later(session: int, other: int) -> bool:
    """Whether a session began after another one of the same node; the numbers wrap."""
    return 0 < (session - other & MASK) <= MASK >> 1


def life_of(session: int | None) -> int | None:
    """The life of the node that began a session; None where it does not tell."""
    return None if session is None else session >> LIFE_BITS
