"""Cutting what is in memory down to the target, a bounded step at a time."""

from math import inf

from forebay.store.backing.indexpager import IndexPager
from forebay.store.backing.pending import Pending
from forebay.store.backing.rates import Rates
from forebay.store.backing.stages import Stages

STEP = 8000
"""Messages whose contents go at once."""

BETAS = 16384
"""Messages of which all but the content may be in memory, whatever the target."""

TO_DELTA = 4096
"""Messages that leave the memory altogether, at least, once there are too many of these."""

KEEP = 256
"""Messages at the head of q3 that stay: they are needed next."""


class Paging:
    """Keeps a queue near its target."""

    def __init__(self, stages: Stages, pending: Pending, rates: Rates, pager: IndexPager) -> None:
        self._stages = stages
        self._pending = pending
        self._rates = rates
        self._pager = pager

    @property
    def ram_count(self) -> int:
        """Messages whose contents are in memory."""
        return self._stages.ram_count + self._pending.ram_count

    @property
    def tight(self) -> bool:
        """More than the target is in memory, or something had to go."""
        stages = self._stages
        return self.ram_count >= self._rates.target or stages.q3.count > 0

    def reduce(self) -> bool:
        """One step; False when nothing was to be done, or nothing could be."""
        if self._rates.target == inf:
            return False
        before = self.ram_count, self._stages.delta.count
        quota = min(STEP, self.ram_count - int(self._rates.target))
        if quota > 0:
            self._page_out(quota)
        stages = self._stages
        excess = stages.q2.count + stages.q3.count - self._permitted()
        if excess >= TO_DELTA:
            stages.betas_to_delta(excess, KEEP)
        return before != (self.ram_count, stages.delta.count)

    def reduce_fully(self) -> None:
        """As many steps as there are."""
        while self.reduce():
            pass

    def _page_out(self, quota: int) -> None:
        """Of ready and held messages the kind that grows faster goes first."""
        if self._rates.acks_grow_faster:
            quota -= self._pending.page_out(quota, self._pager.page_out)
            self._stages.alphas_to_betas(quota)
        else:
            quota = self._stages.alphas_to_betas(quota)
            self._pending.page_out(quota, self._pager.page_out)

    def _permitted(self) -> int:
        stages, target = self._stages, int(self._rates.target)
        below = stages.q2.count + stages.delta.count + stages.q3.count
        return max(BETAS, below - below * below // (below + target)) if below else BETAS
