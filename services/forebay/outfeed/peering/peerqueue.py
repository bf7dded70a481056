"""A peer's memory queue: pure rules of what is sent next, and of what overflows into the backlog."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TypeVar

from forebay.outfeed.token import Token

T = TypeVar("T")


class PeerQueue:
    """The tokens of one peer that are in memory and not on a connection.

    `fresh` came from the feed log and is bounded by `size`; when it is full its oldest part moves to `spilling`, which
    waits to be appended to the backlog. `resent` was read back from the resend stream.
    """

    def __init__(self, size: int, spill_fraction: float) -> None:
        self.size = size
        self.fresh: deque[Token] = deque()
        self.spilling: deque[Token] = deque()
        self.resent: deque[Token] = deque()
        self.spill_fraction = spill_fraction

    def __len__(self) -> int:
        return len(self.fresh) + len(self.spilling) + len(self.resent)

    @property
    def overflowing(self) -> bool:
        """Nothing more may be pushed: the backlog does not take what overflowed earlier."""
        return len(self.spilling) >= self.size

    @property
    def running_dry(self) -> bool:
        """So little is left to send that it is time to read more."""
        return len(self.fresh) + len(self.resent) <= self.size // 4

    def push(self, tokens: Iterable[Token]) -> None:
        """Append fresh tokens; when that fills the queue, its oldest part overflows."""
        self.fresh.extend(tokens)
        while len(self.fresh) > self.size:
            self._overflow(max(1, int(self.size * self.spill_fraction)))

    def take(self, limit: int, *, spilling_too: bool = False, resent_first: bool = False) -> list[Token]:
        """Up to `limit` tokens to be sent next: fresh ones first, then those read back, or the other way round.

        `spilling_too` is for a backlog that is away: what overflowed is then older than anything else.
        """
        if spilling_too and self.spilling:
            return pop(self.spilling, limit)
        first, second = (self.resent, self.fresh) if resent_first else (self.fresh, self.resent)
        return pop(first, limit) or pop(second, limit)

    def put_back(self, fresh: Iterable[Token], resent: Iterable[Token]) -> None:
        """Return tokens that a connection gave back, each to the head it came from."""
        put_back(self.fresh, list(fresh))
        put_back(self.resent, list(resent))

    def spill_all(self) -> None:
        """The peer is gone: all fresh tokens go to the backlog."""
        self.spilling.extend(self.fresh)
        self.fresh.clear()

    def take_spilling(self, limit: int) -> list[Token]:
        """The next batch for the backlog."""
        return pop(self.spilling, limit)

    def _overflow(self, count: int) -> None:
        self.spilling.extend(pop(self.fresh, count))


def pop(queue: deque[T], limit: int) -> list[T]:
    """Take up to `limit` items off the head of a queue."""
    if len(queue) <= limit:
        taken = list(queue)
        queue.clear()
        return taken
    return [queue.popleft() for _ in range(limit)]


def put_back(queue: deque[T], items: Sequence[T]) -> None:
    """Return items to the head that they were taken off, in their old order."""
    queue.extendleft(reversed(items))
