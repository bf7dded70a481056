"""Entries that a limit or a compaction has removed from Redis, and that the feed log lets go of."""

from collections.abc import Callable

from forebay.outfeed.peering.backlogowner import Owner
from forebay.outfeed.peering.entries import read_token
from forebay.spill import Dropped, Spool


class Discards:
    """Called by the backlog and its custodian."""

    def __init__(self, owner: Owner, spool: Spool, lacks: Callable[[int], bool]) -> None:
        """`lacks` tells of a seq whether the peer needs an article of which nothing is in memory or in flight."""
        self._owner = owner
        self._spool = spool
        self._lacks = lacks
        self._forgettable = 0
        """Number of the flush after which Redis may forget what a compaction has dropped; 0 when there is nothing."""

    async def enforce(self) -> None:
        """Have the limits kept. Raises `SpillError`."""
        while dropped := await self._spool.enforce():
            self._let_go(dropped)

    async def release(self) -> bool:
        """Let go of the next entries that a compaction has dropped; whether there may be more. Raises `SpillError`.

        An audit would take them for lost. Redis forgets them once the feed log has let go of them for good.
        """
        if dropped := await self._spool.dropped():
            self._let_go(dropped)
            self._forgettable = self._owner.next_flush
            return True
        if self._forgettable and self._owner.flushed >= self._forgettable:
            self._forgettable = 0
            await self._spool.forget_dropped()
        return False

    def _let_go(self, dropped: Dropped) -> None:
        tokens = [token for data in dropped.entries if (token := read_token(data))]
        self._owner.dropped(dropped, [token for token in tokens if self._lacks(token.seq)])
