"""Connected: a peer is reached, or was when there last was something to send.

A peer's connections are opened as there is something to send, and closed again when they are idle. Neither says
anything about the peer, so that what was known of it stays.
"""

from collections.abc import Sequence

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict

KNOWN = frozenset({"Reached", "NotReached"})
"""Reasons that say something about the peer."""


def connected(before: Verdict | None, peers: Sequence[pb.PeerStatus], is_answered: bool) -> Verdict:
    """`peers` is the peer in each pod that has it; `before` what this condition said; whether the service answers."""
    if not is_answered:
        return Verdict(UNKNOWN, "ServiceUnreachable", "the service that feeds the peer does not answer")
    if not peers:
        return Verdict(UNKNOWN, "NotApplied", "the service does not feed the peer yet")
    peer = min(peers, key=lambda peer: _WORST_FIRST.index(peer.state))
    if peer.state == pb.PEER_STATE_BACKING_OFF:
        return Verdict(FALSE, "NotReached", f"{peer.reason or peer.last_error}; it is tried again")
    if peer.state == pb.PEER_STATE_PAUSED:
        return Verdict(FALSE, "PeerPaused", f"nothing is sent: {peer.reason}")
    if peer.state == pb.PEER_STATE_CONNECTED:
        return Verdict(TRUE, "Reached", "the peer is connected when there is something to send")
    if before and before.reason in KNOWN:
        return before
    return Verdict(UNKNOWN, "NotTried", "no connection was needed or made yet")


_WORST_FIRST = (
    pb.PEER_STATE_BACKING_OFF,
    pb.PEER_STATE_PAUSED,
    pb.PEER_STATE_CONNECTED,
    pb.PEER_STATE_CONNECTING,
    pb.PEER_STATE_IDLE,
    pb.PEER_STATE_UNSPECIFIED,
)
