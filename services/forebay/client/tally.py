"""Counting verdicts on articles, and outcomes of messages."""

from dataclasses import dataclass

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.pb.store.v1 import store_pb2


@dataclass
class Tally:
    """Articles of an offering by what became of them."""

    offered: int = 0
    """Sent at least once."""
    accepted: int = 0
    duplicate: int = 0
    """Seen before. Also an article whose verdict was lost with a connection, when it was sent again."""
    no_peer: int = 0
    rejected: int = 0

    @property
    def judged(self) -> int:
        """Those that have a verdict."""
        return self.accepted + self.duplicate + self.no_peer + self.rejected

    def count(self, verdict: pb.Verdict) -> None:
        """Add a run of verdicts."""
        name = _FIELDS[verdict.outcome]
        setattr(self, name, getattr(self, name) + verdict.count)


_FIELDS = {
    pb.OUTCOME_ACCEPTED: "accepted",
    pb.OUTCOME_DUPLICATE: "duplicate",
    pb.OUTCOME_NO_PEER: "no_peer",
    pb.OUTCOME_REJECTED: "rejected",
}


@dataclass
class PublishTally:
    """Messages of a publisher by what became of them."""

    confirmed: int = 0
    unrouted: int = 0
    """No queue is bound to their address."""
    refused: int = 0
    duplicate: int = 0
    """Kept before. Also a message whose confirm was lost with a connection, when it was sent again."""

    def count(self, confirm: store_pb2.Confirm) -> None:
        """Add a run of outcomes."""
        name = _OUTCOMES[confirm.outcome]
        setattr(self, name, getattr(self, name) + confirm.count)


_OUTCOMES = {
    store_pb2.OUTCOME_CONFIRMED: "confirmed",
    store_pb2.OUTCOME_UNROUTED: "unrouted",
    store_pb2.OUTCOME_REFUSED: "refused",
    store_pb2.OUTCOME_DUPLICATE: "duplicate",
}
