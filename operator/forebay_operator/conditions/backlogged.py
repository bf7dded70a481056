"""Backlogged: articles have been waiting on Redis for a peer for longer than a burst lasts."""

from collections.abc import Sequence
from datetime import timedelta

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict

BACKLOGGED_AFTER = timedelta(minutes=1)
"""Age of the oldest waiting article that makes a backlog; a put-off article alone rests half of it."""

KEEPS_UP = Verdict(FALSE, "KeepsUp", "what is meant for the peer waits on Redis for a moment at most")


def backlogged(before: Verdict | None, peers: Sequence[pb.PeerStatus]) -> Verdict:
    """True once the backlog is old, False once it is empty, in between what it was; no flapping by bursts."""
    if not peers:
        return before or Verdict(UNKNOWN, "NotApplied", "the service does not tell of the peer yet")
    waiting = [peer for peer in peers if peer.backlog.entries]
    if not waiting:
        return KEEPS_UP
    if any(peer.oldest_queued_age.ToTimedelta() >= BACKLOGGED_AFTER for peer in waiting):
        return Verdict(TRUE, "Behind", "the peer takes less than is meant for it; what waits for it is on Redis")
    return before if before and before.status != UNKNOWN else KEEPS_UP
