"""A refusal: what a client is told whose first announce cannot be taken now."""

import math
from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    """Why an announce is refused."""

    QUEUE_FULL = "QUEUE_FULL"
    RATE_LIMITED = "RATE_LIMITED"


@dataclass(frozen=True, slots=True)
class Refusal:
    """The client is told to come back: `failure reason` with `retry in` over HTTP, an error packet over UDP."""

    why: Why
    retry_after: float
    """Seconds."""

    @property
    def retry_in(self) -> int:
        """The same in whole minutes, as BEP 31 has it; at least 1."""
        return max(1, math.ceil(self.retry_after / 60))
