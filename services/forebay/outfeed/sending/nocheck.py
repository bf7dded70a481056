"""When a peer takes nearly all that it is offered, CHECK is skipped: a low-pass filter over its answers decides."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NoCheckSettings:
    """When a connection sends TAKETHIS without asking first."""

    enabled: bool = True
    """Whether CHECK may be skipped at all."""
    on: float = 95.0
    """Per cent of articles accepted, above which CHECK is skipped."""
    off: float = 90.0
    """Per cent of articles accepted, below which CHECK comes back."""
    filter: float = 50.0
    """About how many answers the filter looks back; at least 1."""


class NoCheckFilter:
    """The filter of innfeed(8).

    A 239 takes the value f to f(1-1/F)+1, any other verdict on an article to f(1-1/F), where F is the filter's length.
    A 238 says nothing yet and does not count. Since f moves in one direction as long as the verdicts are alike, a run
    of them is one power, and switches exactly where one by one would.
    """

    def __init__(self, settings: NoCheckSettings) -> None:
        self._enabled = settings.enabled
        self._length = settings.filter
        self._decay = 1 - 1 / settings.filter
        self._high = settings.on * settings.filter / 100
        self._low = settings.off * settings.filter / 100
        self._value = 0.0
        self.skips = False
        """CHECK is skipped now."""

    def accepted(self, count: int) -> None:
        """The peer took `count` articles in a row."""
        self._value = self._length - (self._length - self._value) * self._decay**count
        if self._enabled and self._value > self._high:
            self.skips = True

    def declined(self, count: int) -> None:
        """The peer refused, put off or rejected `count` articles in a row."""
        self._value *= self._decay**count
        if self._value < self._low:
            self.skips = False
