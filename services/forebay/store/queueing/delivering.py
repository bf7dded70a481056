"""Messages on their way from a queue to its consumers, and what those say of them."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.backing.run import Run, Span, total
from forebay.store.queueing import deadletters
from forebay.store.queueing.capacity import Capacity
from forebay.store.queueing.consumers import TURN_OCTETS, Consumer, Consumers
from forebay.store.queueing.letterbox import Letterbox
from forebay.store.queueing.queuecore import QueueCore


class SettledRun(NamedTuple):
    """A settlement that waits for the disk."""

    consumer: Consumer
    numbers: range

    def kept(self) -> None:
        """See `Waiter`."""
        self.consumer.note_settled(self.numbers)

    def failed(self, reason: str) -> None:
        """See `Waiter`: the consumer was told of the crash itself."""


class Delivering:
    """The consumers' side of one queue. returned: called after messages have gone back to the queue."""

    def __init__(self, core: QueueCore, letterbox: Letterbox, returned: Callable[[], None]) -> None:
        self._core = core
        self._letterbox = letterbox
        self._returned = returned
        self.consumers = Consumers(single=core.spec.single_active_consumer)
        self.capacity = Capacity(core.clock)

    # Out
    def want(self, consumer: Consumer) -> None:
        """A consumer has sent all it got."""
        self.consumers.want(consumer)
        self.serve()

    def serve(self) -> None:
        """Hand out what is ready to those who wait for it."""
        core, consumers = self._core, self.consumers
        while len(core.backing) and (consumer := consumers.next()):
            self.expire()
            runs = core.backing.fetch(consumer.room, TURN_OCTETS, counted=not consumer.no_ack)
            if not runs:
                break
            core.touch_soon()
            if fresh := self.within_limit(runs):
                self._hand(consumer, fresh)
        if core.backing.cooling or core.backing.cold:
            core.stir()
        self.capacity.note(consumers.next() is not None)

    def _hand(self, consumer: Consumer, runs: Sequence[Run]) -> None:
        counters = self._core.counters
        for run in runs:
            consumer.hand(run)
            counters.delivered += len(run)
            if run.deliveries:
                counters.redelivered += len(run) - run.deliveries.count(0)
        self.consumers.served(consumer)
        consumer.wake()

    def expire(self) -> None:
        """Let go of what has expired, wherever it is in memory."""
        core = self._core
        now = core.now_ms
        if 0 < core.backing.next_expiry() <= now:
            runs = core.backing.expire(now)
            core.counters.expired += total(runs)
            self._letterbox.lose(runs, deadletters.EXPIRED)
            if 0 < core.backing.next_expiry() <= now:
                core.stir()

    def within_limit(self, runs: Sequence[Run]) -> list[Run]:
        """Those that were not delivered too often before; the others leave."""
        limit = self._core.spec.delivery_limit
        if not limit:
            return list(runs)
        fine, spent = parted(runs, limit)
        self._spent(spent)
        return fine

    def _spent(self, runs: Sequence[Run]) -> None:
        if runs:
            self._core.counters.delivery_limited += total(runs)
            self._letterbox.lose(runs, deadletters.DELIVERY_LIMIT)

    # In
    def settle(self, consumer: Consumer, numbers: range, disposition: int) -> None:
        """A consumer tells what became of deliveries. Raises `UnknownDeliveryError`; then nothing is done.

        Call `serve` when it has told all.
        """
        core = self._core
        spans = consumer.outstanding.take(numbers.start, len(numbers))
        consumer.unsettled += 1
        waiter = SettledRun(consumer, numbers)
        if disposition == pb.DISPOSITION_REJECT:
            core.counters.rejected += len(numbers)
            self._letterbox.lose(core.backing.held(spans), deadletters.REJECTED, waiter)
        else:
            if disposition == pb.DISPOSITION_REQUEUE:
                self.give_back(spans)
            else:
                core.counters.acked += len(numbers)
                core.ack(spans)
            core.wait_patiently(waiter)

    def give_back(self, spans: Sequence[Span]) -> None:
        """Messages were delivered for nothing: back to their places, but for those that were delivered too often."""
        core = self._core
        limit = core.spec.delivery_limit
        if limit:
            fine, spent = parted(core.backing.held(spans), limit - 1)
            self._spent(spent)
            spans = [run.span for run in fine]
        core.counters.requeued += sum(span.count for span in spans)
        core.backing.requeue(spans)
        core.touch_soon()
        self._returned()

    def sent(self, consumer: Consumer, numbers: range) -> None:
        """Deliveries that need no settlement have gone out."""
        self._core.counters.acked += len(numbers)
        self._core.ack(consumer.outstanding.take(numbers.start, len(numbers)))

    def leave(self, consumer: Consumer) -> None:
        """A consumer takes no more: what it holds goes back."""
        if not consumer.left:
            consumer.left = True
            consumer.turn = []
            self.consumers.remove(consumer)
            if spans := consumer.outstanding.take_all():
                self.give_back(spans)
            self.serve()
            self._core.stir()


def parted(runs: Sequence[Run], most: int) -> tuple[list[Run], list[Run]]:
    """Messages that were delivered less than so often before now, and the others."""
    fine: list[Run] = []
    spent: list[Run] = []
    for run in runs:
        at = 0
        for over, group in groupby(times >= most for times in run.deliveries or bytes(len(run))):
            count = sum(1 for _ in group)
            (spent if over else fine).append(run.part(at, at + count))
            at += count
    return fine, spent
