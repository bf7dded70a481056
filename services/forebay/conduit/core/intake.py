"""The receive path of a node: datagrams in, answers out. It shares no packet buffer with the senders."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, cast

from forebay.conduit.core.session.peer import Peer, PeerState
from forebay.conduit.core.session.posted import Posted
from forebay.conduit.core.wire.authentication import WRONG_HASH, Refused
from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.messages import (
    Accept,
    AckNack,
    Close,
    CloseReason,
    Hello,
    KeepAlive,
    Message,
    NumberedMessage,
    Open,
    Ping,
    Pong,
    Scout,
    Synch,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from forebay.conduit.core.conduits.reception import Reception
    from forebay.conduit.core.conduits.transmission import Transmission
    from forebay.conduit.core.dispatch import Dispatch, Sent
    from forebay.conduit.core.sealing import Sealing
    from forebay.conduit.core.session.sessions import Sessions

MOVING = frozenset({Hello, Open, Accept, Close, KeepAlive})
"""Messages after which housekeeping may have something to do at once."""
SOUGHT_INTERVAL = 0.1
"""Seconds between two SCOUTs to those who send what can't be opened."""
SESSION_MESSAGES = MOVING | {Scout, Ping, Pong}


class Intake:
    """Takes datagrams, on any number of threads at once."""

    def __init__(
        self,
        number_bits: int,
        sessions: Sessions,
        transmission: Transmission,
        reception: Reception,
        dispatch: Dispatch,
        wake: Callable[[], None],
        sealing: Sealing | None = None,
    ) -> None:
        """`wake` is called when sessions changed, so that housekeeping has something to do at once; with `sealing`
        nothing is taken that is not sealed.
        """
        self.malformed = 0
        """Datagrams that could not be read to their end."""
        self.unexpected = 0
        """Datagrams that ask for a session, from where there is none."""
        self._number_bits = number_bits
        self._sessions = sessions
        self._transmission = transmission
        self._reception = reception
        self._dispatch = dispatch
        self._wake = wake
        self._sealing = sealing
        self._sought = -inf

    def receive(self, datagram: bytes | memoryview, source: Hashable, now: float) -> list[Sent]:
        """Take a datagram; returns what is answered."""
        if self._sealing is not None:
            opened = self._sealing.open(bytes(datagram))
            if isinstance(opened, Refused):
                return self._refuse(opened, source, now)
            datagram = opened
        peer = self._sessions.peers.by_address(source)
        messages, malformed = decode(datagram, self._number_bits, peer.long_conduit if peer else -1)
        if peer is None or not peer.enter():
            self.malformed += malformed is not None
            return self._take_unknown(messages, source, now)
        try:
            peer.heard = now
            sent = self._take(peer, messages, source, now)
            if malformed:
                self.malformed += 1
                peer.expire(f"a datagram was malformed: {malformed.reason}", CloseReason.PROTOCOL)
        finally:
            peer.leave()
            if peer.state is not PeerState.ESTABLISHED:
                self._wake()
        return sent

    def _refuse(self, refused: Refused, source: Hashable, now: float) -> list[Sent]:
        """It may be sealed for who was here before, by a peer that does not know of the restart: let it know."""
        if refused is not WRONG_HASH or now - self._sought < SOUGHT_INTERVAL:
            return []
        if self._sessions.peers.by_address(source) is not None:
            return []
        self._sought = now
        return self._dispatch.posted([Posted(self._sessions.scout_message(), source)], now)

    def _take(self, peer: Peer, messages: Sequence[Message], source: Hashable, now: float) -> list[Sent]:
        sent: list[Sent] = []
        place = 0
        while place < len(messages) and peer.state is PeerState.ESTABLISHED:
            message = messages[place]
            if type(message) in SESSION_MESSAGES:
                sent += self._take_session(message, source, now)
            elif isinstance(message, AckNack):
                sent += self._dispatch.outgoing(self._transmission.acknowledge(peer, message, now), now)
            elif isinstance(message, Synch):
                sent += self._take_synch(peer, message, now)
            else:
                run = _run(cast("Sequence[NumberedMessage]", messages), place)
                sent += self._dispatch.answers(peer, self._reception.numbered(peer, run, now), now)
                place += len(run) - 1
            place += 1
        return sent

    def _take_synch(self, peer: Peer, message: Synch, now: float) -> list[Sent]:
        answers, doubtful = self._reception.synch(peer, message, now)
        sent = self._dispatch.answers(peer, answers, now)
        if doubtful:
            # Whoever does not know the node asks for a session then.
            sent += self._dispatch.posted([self._sessions.reminder(peer.address)], now)
        return sent

    def _take_unknown(self, messages: Sequence[Message], source: Hashable, now: float) -> list[Sent]:
        """Who has no session may ask for one, or shows that it believes to have one."""
        sent: list[Sent] = []
        for message in messages:
            if type(message) in SESSION_MESSAGES:
                sent += self._take_session(message, source, now)
            elif self._sessions.peers.by_address(source) is None:
                self.unexpected += 1
                with self._sessions.changing:
                    posted = self._sessions.meet(source, now)
                sent += self._dispatch.posted(posted, now)
        return sent

    def _take_session(self, message: Message, source: Hashable, now: float) -> list[Sent]:
        with self._sessions.changing:
            posted = self._answer_session(message, source, now)
        return self._dispatch.posted(posted, now)

    def _answer_session(self, message: Message, source: Hashable, now: float) -> list[Posted]:
        sessions = self._sessions
        if type(message) in MOVING:
            self._wake()
        match message:
            case Scout():
                return sessions.scouted(message, source)
            case Ping():
                peer = sessions.at(source)
                return [Posted(Pong(message.hash), source, peer.peer_id)] if peer else []
            case Hello():
                return sessions.greeted(message, source, now)
            case Open():
                return sessions.opened(message, source, now)
            case Accept():
                return sessions.accepted(message, source, now)
            case Close():
                return sessions.closed(message, source)
            case KeepAlive():
                return sessions.kept_alive(message, source, now)
            case _:
                return []


def _run(messages: Sequence[NumberedMessage], place: int) -> Sequence[NumberedMessage]:
    """The numbered messages from there on that go over the same channel of the same conduit."""
    first, stop = messages[place], place + 1
    kind, conduit, reliable = type(first), first.conduit, first.reliable
    while stop < len(messages):
        other = messages[stop]
        if type(other) is not kind or other.conduit != conduit or other.reliable != reliable:
            break
        stop += 1
    return messages[place:stop] if place or stop < len(messages) else messages
