"""One peer: where it is, what is known of it, and the state of the session with it."""

from __future__ import annotations

from enum import Enum
from math import inf
from threading import Lock
from typing import TYPE_CHECKING

from forebay.conduit.core.wire.extras import LONG_NUMBER_BITS, NO_EXTRAS

if TYPE_CHECKING:
    from collections.abc import Hashable

    from forebay.conduit.core.wire.extras import Extras


class PeerState(Enum):
    """Where the session stands."""

    UNKNOWN = "unknown"
    """There is none; the peer's slot is free."""
    OPENING = "opening"
    """OPENs are sent; `tries` counts them."""
    ESTABLISHED = "established"
    EXPIRED = "expired"
    """It has ended, but its receivers may still be active: nothing more is received, and housekeeping cleans up."""


class Peer:
    """A slot's peer.

    While a session is OPENING, housekeeping alone moves `next_open`; once it is ESTABLISHED, the receive path alone
    moves `heard`. The two do not share a field, so that neither has to look whose turn it is.
    """

    __slots__ = (
        "_active",
        "_counting",
        "address",
        "announced",
        "asked",
        "close_reason",
        "established_at",
        "extras",
        "heard",
        "index",
        "lease",
        "long_conduit",
        "next_open",
        "peer_id",
        "previous",
        "reason",
        "remote_session",
        "replaced",
        "sent",
        "session",
        "state",
        "tries",
    )

    def __init__(self, index: int, address: Hashable, session: int) -> None:
        self.index = index
        """Of its slot, and so of its unicast conduit, which is -index - 1."""
        self.address = address
        self.session = session
        """Own number of the session."""
        self.remote_session: int | None = None
        """The peer's number of it; None: it does not tell."""
        self.peer_id = b""
        """Empty until it is known."""
        self.previous: bytes | None = None
        """Id of the peer in whose place this one came."""
        self.state = PeerState.UNKNOWN
        self.tries = 0
        """OPENs sent without an answer."""
        self.next_open = 0.0
        self.asked = -inf
        """When the last OPEN was sent."""
        self.extras = NO_EXTRAS
        """What was agreed on with it."""
        self.long_conduit = -1
        """The conduit whose numbers are long, if that was agreed."""
        self.lease = inf
        """Seconds, as the peer advertised them."""
        self.heard = 0.0
        """When its last datagram came."""
        self.sent = 0.0
        """When the last datagram went to it alone."""
        self.established_at = 0.0
        self.reason = ""
        """Why it expired."""
        self.close_reason: int | None = None
        """EXPIRED: with what the peer is told so by a CLOSE; None: it knows already, or is gone."""
        self.replaced = False
        """EXPIRED: another session has taken its place already."""
        self.announced = False
        """Whether others were told of the session."""
        self._active = 0
        self._counting = Lock()

    @property
    def active(self) -> int:
        """How many receivers are at work on its datagrams."""
        return self._active

    @property
    def lease_ends(self) -> float:
        """When the peer is taken for dead, unless something comes from it."""
        return self.heard + self.lease

    def agree(self, extras: Extras) -> None:
        """That holds for the session, which is not there yet."""
        self.extras = extras
        self.long_conduit = extras.conduits if extras.number_bits == LONG_NUMBER_BITS else -1

    def enter(self) -> bool:
        """A receiver takes one of its datagrams, if there is a session; `leave` has to follow."""
        with self._counting:
            if self.state is not PeerState.ESTABLISHED:
                return False
            self._active += 1
            return True

    def leave(self) -> None:
        """The receiver is done."""
        with self._counting:
            self._active -= 1

    def establish(self) -> bool:
        """The session is there, unless it was given up in the meantime."""
        with self._counting:
            if self.state not in {PeerState.UNKNOWN, PeerState.OPENING}:
                return False
            self.state = PeerState.ESTABLISHED
            return True

    def expire(self, reason: str, close_reason: int | None = None) -> None:
        """End the session; `close_reason` is told to the peer. Housekeeping does the rest."""
        with self._counting:
            if self.state in {PeerState.ESTABLISHED, PeerState.OPENING}:
                self.state = PeerState.EXPIRED
                self.reason = reason
                self.close_reason = close_reason
