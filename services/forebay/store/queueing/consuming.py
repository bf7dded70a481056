"""One consumer as its stream sees it: deliveries and settlements in one response a turn."""

from collections.abc import Callable, Sequence

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.errors import FieldViolation, InvalidArgumentError, ServiceError, UnavailableError
from forebay.store.errors import UnknownDeliveryError
from forebay.store.queueing.consumers import Consumer
from forebay.store.queueing.livequeue import LiveQueue
from forebay.store.queueing.queueprocess import QueueProcess
from forebay.store.queueing.responses import deliveries

_DISPOSITIONS = {pb.DISPOSITION_ACK, pb.DISPOSITION_REQUEUE, pb.DISPOSITION_REJECT}


class Consuming:
    """A `ConsumerSession`: nothing of it waits."""

    def __init__(self, queue: QueueProcess, start: pb.ConsumeStart, peer: str) -> None:
        """Raises what `QueueProcess.attach` raises."""
        self._queue = queue
        self._consumer = Consumer(
            start.consumer,
            peer,
            credit=start.credit,
            prefetch=start.prefetch,
            exclusive=start.exclusive,
            no_ack=start.no_ack,
            priority=start.priority,
        )
        self._told: bool | None = None
        """What it was told last of whether it is active."""
        queue.attach(self._consumer)

    @property
    def wake(self) -> Callable[[], None]:
        """Called when `take` has something to give, when it failed, or when it became idle."""
        return self._consumer.wake

    @wake.setter
    def wake(self, wake: Callable[[], None]) -> None:
        self._consumer.wake = wake

    @property
    def failure(self) -> ServiceError | None:
        """Why it has ended: its queue crashed or was removed."""
        return self._consumer.failure

    def allow(self, credit: int) -> None:
        """So many more deliveries."""
        self._consumer.credit += credit
        self._consumer.wake()

    def settle(self, settlements: Sequence[pb.Settlement]) -> None:
        """What became of deliveries. Raises `InvalidArgumentError` for one that is not outstanding."""
        if self._consumer.failure:
            return
        try:
            with self._queue.at(self._consumer) as live:
                try:
                    for place, each in enumerate(settlements):
                        self._settle(live, place, each)
                finally:
                    live.delivering.serve()
        except UnavailableError:
            # The consumer is told of it as its failure.
            return

    def _settle(self, live: LiveQueue, place: int, each: pb.Settlement) -> None:
        if each.disposition not in _DISPOSITIONS:
            raise _wrong(place, "disposition", "is missing: tell whether it is ack, requeue or reject")
        try:
            if each.count > self._consumer.outstanding.count:
                raise UnknownDeliveryError(each.first, each.count)
            live.delivering.settle(self._consumer, range(each.first, each.first + each.count), each.disposition)
        except UnknownDeliveryError as error:
            raise _wrong(place, "first", str(error)) from None

    def take(self) -> bytes | None:
        """The next response, serialised: deliveries of a turn, settlements that are durable, a change of `active`."""
        consumer = self._consumer
        if not consumer.turn and not consumer.left:
            self._want()
        delivered = self._deliver() if consumer.turn else b""
        return delivered + self._news().SerializeToString() or None

    def _news(self) -> pb.ConsumeResponse:
        """What there is beside deliveries."""
        consumer, news = self._consumer, pb.ConsumeResponse()
        settled, consumer.settled = consumer.settled, []
        for numbers in settled:
            news.settled.add(first=numbers.start, count=len(numbers))
        if self._told is not consumer.active and not consumer.left:
            self._told = news.active = consumer.active
        return news

    def _want(self) -> None:
        try:
            with self._queue.at(self._consumer) as live:
                live.delivering.want(self._consumer)
        except UnavailableError:
            return

    def _deliver(self) -> bytes:
        consumer = self._consumer
        runs, consumer.turn = consumer.turn, []
        try:
            with self._queue.at(consumer) as live:
                delivered = deliveries(runs, consumer.turn_first, live.core.backing.position)
                if consumer.no_ack:
                    live.delivering.sent(consumer, range(consumer.turn_first, consumer.outstanding.next))
                return delivered
        except UnavailableError:
            return b""

    def leave(self) -> None:
        """No more deliveries: what is outstanding goes back to the queue. What was settled is still reported."""
        if not self._consumer.left:
            try:
                with self._queue.at(self._consumer) as live:
                    live.delivering.leave(self._consumer)
                    live.use()
            except UnavailableError:
                self._consumer.left = True

    @property
    def idle(self) -> bool:
        """It has left, and all that was settled is durable and was taken."""
        consumer = self._consumer
        return consumer.left and (consumer.failure is not None or not (consumer.unsettled or consumer.settled))

    def close(self) -> None:
        """The stream is gone; leaves if it has not."""
        self.leave()
        self._consumer.wake = lambda: None


def _wrong(place: int, field: str, problem: str) -> InvalidArgumentError:
    path = f"settlements[{place}].{field}"
    return InvalidArgumentError(f"{path}: {problem}", violations=[FieldViolation(path, problem)])
