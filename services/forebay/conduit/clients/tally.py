"""What clients have published and got since the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.conduit.clients.outcomes import Outcome


@dataclass
class Tally:
    """Samples."""

    accepted: int = 0
    spilled: int = 0
    """Of the accepted ones: those that waited in the Spill."""
    dropped: int = 0
    expired: int = 0
    refused: int = 0
    delivered: int = 0
    """Samples that subscribers have got, each counted by itself."""
    missed: int = 0
    """Samples that subscribers did not get, since they were read too slowly."""

    @property
    def undelivered(self) -> int:
        """What was published, and went nowhere, though somebody wanted it."""
        return self.dropped + self.expired

    def add(self, outcome: Outcome) -> None:
        """A batch is settled."""
        self.accepted += outcome.accepted
        self.spilled += outcome.spilled
        self.dropped += outcome.dropped
        self.expired += outcome.expired
        self.refused += outcome.refused
