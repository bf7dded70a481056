"""Those who wait until messages have their outcomes."""

import asyncio
import heapq
from itertools import count

from forebay.client.errors import NotKeptError
from forebay.pb.store.v1 import store_pb2 as pb

KEPT = frozenset({pb.OUTCOME_CONFIRMED, pb.OUTCOME_DUPLICATE})

Waiter = asyncio.Future[pb.Confirm | None]


class Confirmations:
    """Futures by the number of the last message that they wait for; confirms have to come in order."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, bool, Waiter]] = []
        """A heap: number, order of coming, whether it takes care of that message's outcome."""
        self._order = count()
        self._unkept = 0
        """Messages that are not kept, and that nobody took care of."""
        self._first: pb.Confirm | None = None
        """What became of the first of them."""

    def outcome_of(self, number: int) -> Waiter:
        """Gives the confirm that the message is in; whoever asks takes care of it."""
        return self._wait(number, cares=True)

    def all_up_to(self, number: int) -> Waiter:
        """Gives None once all messages up to that number have their outcomes."""
        return self._wait(number, cares=False)

    def _wait(self, number: int, *, cares: bool) -> Waiter:
        waiter: Waiter = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (number, next(self._order), cares, waiter))
        return waiter

    def confirm(self, confirm: pb.Confirm) -> None:
        """A run of messages has its outcome."""
        cared = 0
        while self._waiting and self._waiting[0][0] < confirm.first + confirm.count:
            _, _, cares, waiter = heapq.heappop(self._waiting)
            cared += cares
            if not waiter.done():
                waiter.set_result(confirm if cares else None)
        if confirm.outcome not in KEPT and cared < confirm.count:
            self._unkept += confirm.count - cared
            self._first = self._first or confirm

    def fail(self, error: Exception) -> None:
        """No more outcomes come."""
        for *_, waiter in self._waiting:
            if not waiter.done():
                waiter.set_exception(error)
        self._waiting.clear()

    def settle_accounts(self) -> None:
        """Raise `NotKeptError` if messages were not kept since the last time, but for those that were taken care of."""
        unkept, first = self._unkept, self._first
        self._unkept, self._first = 0, None
        if first is not None:
            raise NotKeptError(unkept, first)
