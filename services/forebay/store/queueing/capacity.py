"""The part of the last seconds in which a message could have been delivered at once."""

from forebay.runtime.clock import Clock

HALF_LIFE = 5.0
"""Seconds after which what was weighs half."""


class Capacity:
    """Told when consumers become able to take a message, or unable."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = clock.monotonic()
        self._able = False
        self._part = 0.0

    def note(self, able: bool) -> None:
        """Whether a message could be delivered from now on."""
        if able != self._able:
            self._part = self.part()
            self._since = self._clock.monotonic()
            self._able = able

    def part(self) -> float:
        """0 to 1."""
        weight: float = 0.5 ** ((self._clock.monotonic() - self._since) / HALF_LIFE)
        return self._part * weight + self._able * (1 - weight)
