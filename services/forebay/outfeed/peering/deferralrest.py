"""How long articles rest that a peer has put off."""

from dataclasses import dataclass

MOST_GROWN = 100
"""Tries after which a rest grows no more, whatever its factor: it would be no number any more."""


@dataclass(frozen=True)
class DeferralRest:
    """Times in seconds."""

    first: float
    """What was put off once rests so long."""
    factor: float = 1.0
    """What the rest is multiplied with each time that everything is put off again."""
    longest: float = 3600.0
    """What it grows to."""

    def after(self, tries: int) -> float:
        """How long articles rest which were put off so many times."""
        growth = self.factor ** max(0, min(tries, MOST_GROWN) - 1)
        return max(self.first, min(self.first * growth, self.longest))
