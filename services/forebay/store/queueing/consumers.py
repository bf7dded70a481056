"""The consumers of a queue: who may have messages, how many, and whose turn it is."""

from itertools import count
from typing import TYPE_CHECKING

from forebay.runtime.errors import FailedPreconditionError, ServiceError
from forebay.store.backing.run import Run
from forebay.store.queueing.outstanding import Outstanding

if TYPE_CHECKING:
    from collections.abc import Callable

TURN = 200
"""Messages that a consumer gets at most before it is another's turn."""
TURN_OCTETS = 256 * 1024
"""Octets of them, but for the last one."""
MOST_OUTSTANDING = 65_535
"""Deliveries of a consumer without a settlement, whatever it allows."""


class Consumer:
    """One consumer. What is handed to it waits in `turn` until it goes out; meanwhile it gets no more."""

    def __init__(
        self,
        name: str,
        peer: str = "",
        *,
        credit: int = 0,
        prefetch: int = 0,
        exclusive: bool = False,
        no_ack: bool = False,
        priority: int = 0,
    ) -> None:
        """`peer` is who it is, for people; the rest as in ConsumeStart."""
        self.name = name
        self.peer = peer
        self.credit = credit
        self.prefetch = prefetch or MOST_OUTSTANDING
        self.exclusive = exclusive
        self.no_ack = no_ack
        self.priority = priority
        self.wake: Callable[[], None] = lambda: None
        """Called when there is something new for it."""
        self.active = False
        """It gets messages; not while another is the single active consumer."""
        self.outstanding = Outstanding()
        self.turn: list[Run] = []
        self.turn_first = 0
        """Number of the first delivery of its turn."""
        self.unsettled = 0
        """Settlements that are not safe yet."""
        self.settled: list[range] = []
        """Settlements that are safe and that it was not told of."""
        self.left = False
        self.failure: ServiceError | None = None

    @property
    def room(self) -> int:
        """Deliveries that it can have now."""
        if self.left or self.turn or not self.active:
            return 0
        return max(0, min(self.credit, self.prefetch - self.outstanding.count, TURN))

    def hand(self, run: Run) -> None:
        """These messages are delivered to it."""
        if not self.turn:
            self.turn_first = self.outstanding.next
        self.turn.append(run)
        self.outstanding.add(run)
        self.credit -= len(run)

    def note_settled(self, numbers: range) -> None:
        """What it has said of these deliveries is safe."""
        self.unsettled -= 1
        if self.settled and self.settled[-1].stop == numbers.start:
            self.settled[-1] = range(self.settled[-1].start, numbers.stop)
        else:
            self.settled.append(numbers)
        self.wake()

    def fail(self, error: ServiceError) -> None:
        """It ends: its queue is gone."""
        self.left = True
        self.failure = error
        self.wake()


class Consumers:
    """All consumers of a queue, in the order in which they came."""

    def __init__(self, *, single: bool = False) -> None:
        """single: one of them alone gets messages."""
        self._single = single
        self._all: dict[Consumer, None] = {}
        self._hungry: dict[Consumer, int] = {}
        self._turns = count()

    def __len__(self) -> int:
        return len(self._all)

    def all(self) -> list[Consumer]:
        """In the order in which they came."""
        return list(self._all)

    @property
    def exclusive(self) -> bool:
        """One of them is alone by right."""
        return any(consumer.exclusive for consumer in self._all)

    def check(self, *, exclusive: bool) -> None:
        """Raise `FailedPreconditionError` when one more may not take messages. exclusive: it would be the only one."""
        if self._all and (exclusive or self.exclusive):
            holder = next((each for each in self._all if each.exclusive), next(iter(self._all)))
            kind = "an exclusive consumer" if holder.exclusive else "a consumer, and this one is to be exclusive"
            problem = f"the queue has {kind} ({holder.name or 'without a name'}, {holder.peer}): end that one first"
            raise FailedPreconditionError(problem, reason="EXCLUSIVE")

    def add(self, consumer: Consumer) -> None:
        """One more. Raises `FailedPreconditionError` beside an exclusive one, or for an exclusive one beside others."""
        self.check(exclusive=consumer.exclusive)
        self._all[consumer] = None
        self._elect()

    def remove(self, consumer: Consumer) -> None:
        """It gets nothing any more; with a single active consumer the next one takes over."""
        consumer.active = False
        self._all.pop(consumer, None)
        self._hungry.pop(consumer, None)
        self._elect()

    def set_single(self, single: bool) -> None:
        """Whether one of them alone gets messages."""
        if single != self._single:
            self._single = single
            self._elect()

    def want(self, consumer: Consumer) -> None:
        """It has sent all it got, and would take more."""
        if consumer in self._all:
            self._hungry.setdefault(consumer, next(self._turns))

    def next(self) -> Consumer | None:
        """Who gets the next messages: the highest priority, and among equals who has waited longest."""
        able = [consumer for consumer in self._hungry if consumer.room]
        return min(able, key=lambda consumer: (-consumer.priority, self._hungry[consumer])) if able else None

    def served(self, consumer: Consumer) -> None:
        """It has got its turn."""
        self._hungry.pop(consumer, None)

    @property
    def takers(self) -> int:
        """Deliveries that could be made at once."""
        return sum(consumer.room for consumer in self._hungry)

    def _elect(self) -> None:
        """Say who is active: all, or the one that is, else the one of the highest priority that came first."""
        active = [consumer for consumer in self._all if consumer.active]
        if not self._single:
            chosen = list(self._all)
        elif active:
            chosen = active[:1]
        else:
            chosen = [max(self._all, key=lambda consumer: consumer.priority)] if self._all else []
        for consumer in self._all:
            if consumer.active != (consumer in chosen):
                consumer.active = not consumer.active
                consumer.wake()
