"""Lets go of what is too much in a queue that keeps the newest."""

from forebay.store.backing.run import total
from forebay.store.queueing import deadletters, limits
from forebay.store.queueing.letterbox import Letterbox
from forebay.store.queueing.queuecore import QueueCore

TRIMS = 500
"""Looks at what is too much before others are let do something."""


class Trimming:
    """Keeps one queue within its limits, where the oldest have to go."""

    def __init__(self, core: QueueCore, letterbox: Letterbox) -> None:
        self._core = core
        self._letterbox = letterbox
        self.largest = 0
        """Octets that no message has more of."""

    def trim(self) -> None:
        """Let go of the oldest of the lowest priority, as far as they are in memory; if that leaves too many, stir."""
        core = self._core
        for _ in range(TRIMS):
            count = self.excess
            runs = core.backing.drop(count) if count else []
            core.counters.dropped += total(runs)
            self._letterbox.lose(runs, deadletters.MAXLEN)
            if not runs:
                break
        if self.excess:
            core.stir()

    async def trim_deep(self) -> None:
        """The same, and those on disk alone too."""
        self.trim()
        if self.excess:
            await self._core.backing.warm_victims()
            self.trim()

    @property
    def excess(self) -> int:
        """Ready messages that have to go for sure."""
        core = self._core
        if core.spec.overflow != "drop-head" or not limits.limited(core.spec):
            return 0
        ready = core.standing._replace(ready=len(core.backing), ready_octets=core.backing.octets)
        return limits.excess(core.spec, ready, self.largest)
