"""The housekeeping of sessions: scouting, OPENs again, leases, keepalives, and the end of what has expired."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Protocol

from forebay.conduit.core.session.events import PeerChange, PeerEvent
from forebay.conduit.core.session.peer import Peer, PeerState
from forebay.conduit.core.session.posted import Audience, Posted
from forebay.conduit.core.wire.messages import CloseReason, KeepAlive

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from forebay.conduit.core.session.sessions import Sessions


class Household(Protocol):
    """What depends on sessions. All of it is called by housekeeping alone."""

    def welcome(self, peer: Peer, now: float) -> None:
        """The session is established: the peer becomes a member of conduits, and gets declarations."""
        ...

    def dismiss(self, peer: Peer, now: float) -> None:
        """There is no session, or none any more: nothing of the peer stays."""
        ...

    def notify(self, event: PeerEvent) -> None:
        """Tell who wants to know."""
        ...


class Upkeep:
    """Moves sessions on as time goes by. All times are monotonic, in seconds."""

    def __init__(self, sessions: Sessions, household: Household) -> None:
        self._sessions = sessions
        self._household = household
        self._scouts = 0
        self._sought: Sequence[Hashable] = sessions.settings.static_peers
        """Addresses that are scouted one by one; names of them may come to stand for others."""
        self._next_scout = inf if sessions.settings.scout_interval == inf else -inf

    def seek(self, addresses: Sequence[Hashable]) -> None:
        """Scout these addresses one by one from now on, and no others; at once when there are new ones."""
        if self._next_scout < inf and not set(addresses).issubset(self._sought):
            self._next_scout = -inf
        self._sought = addresses

    def run(self, now: float) -> list[Posted]:
        """Do what is due; returns what is to be sent."""
        with self._sessions.changing:
            return self._run(now)

    def _run(self, now: float) -> list[Posted]:
        posted: list[Posted] = []
        for peer in self._sessions.peers:
            posted += self._tend(peer, now)
        # After those that expired: what replaces a session finds its predecessor gone.
        while self._sessions.fresh:
            self._welcome(self._sessions.fresh.popleft(), now)
        return posted + self._scout(now) + self._keep_alive(now)

    def due(self) -> float:
        """When `run` has something to do."""
        due = self._next_scout
        keepalive = self._sessions.settings.keepalive_interval
        for peer in self._sessions.peers:
            if peer.state is PeerState.ESTABLISHED:
                due = min(due, peer.lease_ends, max(peer.sent, self._sessions.peers.group_sent) + keepalive)
            elif peer.state is PeerState.OPENING:
                due = min(due, peer.next_open)
            elif not peer.active:
                return -inf
        return -inf if self._sessions.fresh else due

    def _tend(self, peer: Peer, now: float) -> list[Posted]:
        if peer.state is PeerState.ESTABLISHED and now >= peer.lease_ends:
            peer.expire(f"nothing came for its lease of {peer.lease:g} s", CloseReason.OK)
        if peer.state is PeerState.OPENING and now >= peer.next_open:
            return self._open_again(peer, now)
        if peer.state is PeerState.EXPIRED and not peer.active:
            return self._dismiss(peer, now)
        return []

    def _open_again(self, peer: Peer, now: float) -> list[Posted]:
        settings = self._sessions.settings
        if peer.tries >= settings.open_tries:
            peer.expire(f"{peer.tries} OPENs were not answered")
            return self._dismiss(peer, now)
        return [self._sessions.try_again(peer, now)]

    def _welcome(self, peer: Peer, now: float) -> None:
        if peer.state is not PeerState.ESTABLISHED:
            return
        peer.announced = True
        self._household.welcome(peer, now)
        change = PeerChange.CONNECTED if peer.previous is None else PeerChange.RECONNECTED
        self._household.notify(PeerEvent(change, peer.peer_id, peer.address, peer.previous))

    def _dismiss(self, peer: Peer, now: float) -> list[Posted]:
        self._sessions.peers.remove(peer)
        peer.state = PeerState.UNKNOWN
        # Something of it may have been received before others were told of the session.
        self._household.dismiss(peer, now)
        if peer.announced and not peer.replaced:
            event = PeerEvent(PeerChange.DISCONNECTED, peer.peer_id, peer.address, reason=peer.reason)
            self._household.notify(event)
        if peer.close_reason is None:
            return []
        return [Posted(self._sessions.close_message(peer.close_reason), peer.address, peer.peer_id)]

    def _scout(self, now: float) -> list[Posted]:
        settings = self._sessions.settings
        if now < self._next_scout:
            return []
        self._scouts += 1
        last = bool(settings.scout_count) and self._scouts >= settings.scout_count
        self._next_scout = inf if last else now + settings.scout_interval
        scout = self._sessions.scout_message()
        return [Posted(scout, Audience.GROUP), *(Posted(scout, address) for address in self._absent())]

    def _absent(self) -> list[object]:
        """The addresses of static peers without a session."""
        peers = self._sessions.peers
        found = ((address, peers.by_address(address)) for address in self._sought)
        return [address for address, peer in found if peer is None or peer.state is not PeerState.ESTABLISHED]

    def _keep_alive(self, now: float) -> list[Posted]:
        """To the one peer that has heard nothing for long; to all when it is more than one."""
        settings = self._sessions.settings
        interval, group_sent = settings.keepalive_interval, self._sessions.peers.group_sent
        silent = [
            peer
            for peer in self._sessions.peers
            if peer.state is PeerState.ESTABLISHED and max(peer.sent, group_sent) + interval <= now
        ]
        if not silent:
            return []
        return [Posted(KeepAlive(settings.peer_id), silent[0].address if len(silent) == 1 else Audience.PEERS)]
