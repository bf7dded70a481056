"""Counting verdicts."""

from dataclasses import dataclass

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb


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
