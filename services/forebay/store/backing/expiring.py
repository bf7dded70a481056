"""What of a queue has expired, wherever it is."""

from forebay.store.backing.indexpager import IndexPager
from forebay.store.backing.run import Run
from forebay.store.backing.stages import Stages
from forebay.store.backing.warming import Warming


class Expiring:
    """Takes the ready messages of one queue whose time has passed."""

    def __init__(self, stages: Stages, pager: IndexPager, warming: Warming) -> None:
        self._stages = stages
        self._pager = pager
        self._warming = warming

    def next_time(self) -> int:
        """When the next message may expire, in milliseconds since the epoch; 0 for never."""
        times = (self._stages.soonest, self._pager.soonest if self._stages.delta.count else 0)
        return min(filter(None, times), default=0)

    def take(self, now_ms: int) -> list[Run]:
        """Those whose places are in memory."""
        stages = self._stages
        if not 0 < stages.soonest <= now_ms:
            return []
        first, middle = stages.q4.take_expired(now_ms), stages.q3.take_expired(now_ms)
        if stages.delta.count and middle and not stages.q3.count:
            # Delta needs one message before it that is in memory; `take_deep` gets at it.
            last = middle.pop()
            stages.q3.append(last.part(len(last) - 1, len(last)))
            if len(last) > 1:
                middle.append(last.part(0, len(last) - 1))
        expired = [*first, *middle, *stages.q2.take_expired(now_ms), *stages.q1.take_expired(now_ms)]
        stages.seek_soonest()
        return expired

    async def take_deep(self, now_ms: int) -> list[Run]:
        """Those that are on disk alone, of one stretch of the queue."""
        runs: list[Run] = []
        if 0 < self._pager.soonest <= now_ms:
            runs = await self._warming.expired(now_ms)
        return runs
