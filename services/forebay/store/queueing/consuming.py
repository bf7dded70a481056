"""One consumer as its stream sees it: deliveries and settlements in one response a turn."""

from collections.abc import Callable, Sequence

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.errors import FieldViolation, InvalidArgumentError, ServiceError, UnavailableError
from forebay.store.backing.run import Run, Span
from forebay.store.errors import UnknownDeliveryError
from forebay.store.queueing.consumers import Consumer
from forebay.store.queueing.livequeue import LiveQueue
from forebay.store.queueing.queueprocess import QueueProcess

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

    def take(self) -> pb.ConsumeResponse | None:
        """The next response: deliveries of a turn, settlements that are durable, a change of `active`."""
        consumer = self._consumer
        if not consumer.turn and not consumer.left:
            self._want()
        response = pb.ConsumeResponse()
        if consumer.turn:
            self._deliver(response)
        settled, consumer.settled = consumer.settled, []
        for numbers in settled:
            response.settled.add(first=numbers.start, count=len(numbers))
        if self._told is not consumer.active and not consumer.left:
            self._told = response.active = consumer.active
        return response if response.deliveries or settled or response.HasField("active") else None

    def _want(self) -> None:
        try:
            with self._queue.at(self._consumer) as live:
                live.delivering.want(self._consumer)
        except UnavailableError:
            return

    def _deliver(self, response: pb.ConsumeResponse) -> None:
        consumer = self._consumer
        runs, consumer.turn = consumer.turn, []
        try:
            with self._queue.at(consumer) as live:
                fill(response, runs, consumer.turn_first, live.core.backing.position)
                if consumer.no_ack:
                    live.delivering.sent(consumer, range(consumer.turn_first, consumer.outstanding.next))
        except UnavailableError:
            del response.deliveries[:]

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


def fill(
    response: pb.ConsumeResponse | pb.GetResponse | pb.BrowseResponse,
    runs: Sequence[Run],
    first: int,
    position: Callable[[Span], int],
) -> None:
    """Add deliveries with the numbers from `first` on; without numbers when that is 0."""
    add = response.deliveries.add
    number = first
    for run in runs:
        place = position(run.span)
        for content, times in zip(run.contents or (), run.deliveries or bytes(len(run)), strict=True):
            delivery = add()
            delivery.message.MergeFromString(content)
            delivery.position = place
            if number:
                delivery.number = number
                number += 1
            if times:
                delivery.deliveries = times
            place += 1


def _wrong(place: int, field: str, problem: str) -> InvalidArgumentError:
    path = f"settlements[{place}].{field}"
    return InvalidArgumentError(f"{path}: {problem}", violations=[FieldViolation(path, problem)])
