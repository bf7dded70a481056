"""Back-off: how long to wait after the n-th failure in a row."""

from dataclasses import dataclass
from random import Random

from forebay.runtime.clock import Clock


@dataclass(frozen=True)
class BackoffSettings:
    """Delays that double from `first` up to `longest`, each shortened by chance."""

    first: float = 1.0
    """Seconds to wait after the first failure."""
    longest: float = 60.0
    """Seconds that no delay exceeds."""
    jitter: float = 0.25
    """The part of a delay, 0 to 1, that chance may take away, so that many clients do not return at once."""


class Backoff:
    """One thing's failures in a row and when to try it again."""

    def __init__(self, settings: BackoffSettings, clock: Clock, random: Random) -> None:
        self._settings = settings
        self._clock = clock
        self._random = random
        self._until = clock.monotonic()
        self.failures = 0

    def fail(self) -> float:
        """Count one more failure; the seconds to wait from now on."""
        settings = self._settings
        # Past 2 ** 62 a float power would overflow long before anyone cares.
        delay = min(settings.longest, settings.first * 2.0 ** min(self.failures, 62))
        delay *= 1.0 - settings.jitter * self._random.random()
        self.failures += 1
        self._until = self._clock.monotonic() + delay
        return delay

    def remaining(self) -> float:
        """Seconds left to wait; 0 when it is time to try."""
        return max(0.0, self._until - self._clock.monotonic())

    def reset(self) -> None:
        """It worked: the next failure is the first again, and there is nothing to wait for."""
        self.failures = 0
        self._until = self._clock.monotonic()
