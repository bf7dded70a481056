"""Growth: how many connections a peer may have at the moment, told by what more of them have brought."""

from dataclasses import dataclass

PERIOD = 10
"""Looks, one a second, over which articles are counted before another number of connections is tried."""
REST = 6
"""Periods without a trial after one that brought nothing."""
GAIN = 1.05
"""A connection more is worth it where so many times the articles go out."""
SHARE_LENGTH = 100
"""About how many answers tell what share of its articles a peer takes."""


@dataclass(frozen=True)
class GrowthSettings:
    """What bounds the number of connections below the most there may be: methods 0 to 3 of innfeed(8)."""

    by_rate: bool = False
    """Articles a second do."""
    by_queue: bool = False
    """The fullness of the queue does. With both, the share of articles that the peer takes decides between them."""
    low: float = 20.0
    """Per cent of the queue below which there is one less."""
    high: float = 50.0
    """Per cent of the queue above which there is one more."""
    filter: float = 0.7
    """The part of the fullness that is that of the look before, from 0 up to but without 1."""


class Climb:
    """Tries one connection more and keeps it where more articles go out for it."""

    def __init__(self) -> None:
        self.limit = 1
        self._looks = 0
        self._settled = 0
        self._rest = 0
        self._tries = False
        self._before = 0

    def settle(self, count: int) -> None:
        """So many articles were answered."""
        self._settled += count

    def look(self, most: int) -> None:
        """Once a second; `most` is what the limit may be at most."""
        self._looks += 1
        if self._looks < PERIOD:
            return
        settled, self._settled, self._looks = self._settled, 0, 0
        if self._tries and settled < GAIN * self._before:
            self.limit, self._rest = max(1, self.limit - 1), REST
        self._tries = self._rest == 0 and settled > 0 and self.limit < most
        self._rest = max(0, self._rest - 1)
        self._before = settled
        self.limit = min(most, self.limit + self._tries)


class Growth:
    """The limit of a peer's connections, which follows `look` and `settle`."""

    def __init__(self, settings: GrowthSettings) -> None:
        self.settings = settings
        self._climb = Climb()
        self._by_queue = 1
        self._fullness = 0.0
        self._share = 1.0

    def limit(self, most: int) -> int:
        """How many connections there may be, at least 1 and at most `most`."""
        match self.settings.by_rate, self.settings.by_queue:
            case False, False:
                return most
            case True, False:
                limit = self._climb.limit
            case False, True:
                limit = self._by_queue
            case _:
                limit = round(self._share * self._by_queue + (1 - self._share) * self._climb.limit)
        return max(1, min(most, limit))

    def settle(self, taken: int, declined: int) -> None:
        """The peer answered about so many articles that it takes, or does not."""
        self._climb.settle(taken + declined)
        decay = 1 - 1 / SHARE_LENGTH
        self._share = 1 - (1 - self._share) * decay**taken
        self._share *= decay**declined

    def look(self, fullness: float, most: int) -> None:
        """Once a second; `fullness` of the queue is from 0 to 1."""
        settings = self.settings
        self._fullness = settings.filter * self._fullness + (1 - settings.filter) * 100 * fullness
        if self._fullness > settings.high:
            self._by_queue += 1
        elif self._fullness < settings.low:
            self._by_queue -= 1
        self._by_queue = max(1, min(most, self._by_queue))
        self._climb.look(most)
