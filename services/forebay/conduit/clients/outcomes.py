"""What became of batches, gathered to be told."""

from __future__ import annotations

from typing import NamedTuple

from forebay.pb.conduit.v1 import conduit_pb2 as pb


class Outcome(NamedTuple):
    """What became of one batch: the first samples were accepted, the others were not."""

    accepted: int = 0
    spilled: int = 0
    """Of the accepted ones."""
    dropped: int = 0
    expired: int = 0
    refused: int = 0
    reason: str = ""
    """For programs."""
    problem: str = ""
    """For people."""

    @property
    def plain(self) -> bool:
        """Whether all samples were accepted, and none of them waits in the Spill."""
        return not (self.spilled or self.dropped or self.expired or self.refused)


class Outcomes:
    """Consecutive batches of which there is nothing else to tell than that all was accepted are told as one."""

    def __init__(self) -> None:
        self._number = 0
        """Of the next batch."""
        self._gathered: list[pb.BatchResult] = []
        self._open = False
        """Whether the last one may be continued."""

    def __len__(self) -> int:
        return len(self._gathered)

    def add(self, outcome: Outcome) -> None:
        """The next batch is settled."""
        if outcome.plain and self._open:
            last = self._gathered[-1]
            last.count += 1
            last.accepted += outcome.accepted
        else:
            self._gathered.append(pb.BatchResult(first=self._number, count=1, **outcome._asdict()))
        self._open = outcome.plain
        self._number += 1

    def take(self) -> list[pb.BatchResult]:
        """All that was not told yet, in order."""
        taken, self._gathered, self._open = self._gathered, [], False
        return taken
