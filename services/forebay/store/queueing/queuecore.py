"""What the parts of a queue at work share: what it is to be, where its messages are, and who waits for the disk."""

from collections.abc import Callable, Sequence

from forebay.runtime.clock import Clock
from forebay.store.backing.protocol import BackingQueue
from forebay.store.backing.run import Run, Span, total
from forebay.store.queueing.counting import Counters
from forebay.store.queueing.limits import Standing
from forebay.store.queueing.spec import QueueSpec
from forebay.store.queueing.waiting import Waiter


class QueueCore:
    """One queue. touched: called when there is something for a round. touched_soon: when that may wait a moment.

    stirred: called when its chores have something to do.
    """

    def __init__(
        self,
        spec: QueueSpec,
        backing: BackingQueue,
        counters: Counters,
        clock: Clock,
        *,
        touched: Callable[[], None],
        touched_soon: Callable[[], None],
        stirred: Callable[[], None],
    ) -> None:
        self.spec = spec
        self.backing = backing
        self.counters = counters
        self.clock = clock
        self.touch = touched
        self.touch_soon = touched_soon
        self.stir = stirred
        self.waiting: list[Waiter] = []
        """Those whom the next round tells."""
        self.losing = 0
        """Messages that are held till their dead letters are safe."""
        self.losing_octets = 0
        self.arriving = 0
        """Messages that came in and are not ready before the round that has them."""
        self.arriving_octets = 0

    @property
    def now_ms(self) -> int:
        """The time, in milliseconds since the epoch."""
        return int(self.clock.wall() * 1000)

    @property
    def standing(self) -> Standing:
        """What the limits are about, for a message that comes in."""
        backing = self.backing
        return Standing(
            len(backing) + self.arriving,
            backing.octets + self.arriving_octets,
            backing.unacked - self.losing,
            backing.unacked_octets - self.losing_octets,
        )

    def wait(self, waiter: Waiter) -> None:
        """Tell somebody when all that happened up to now is safe."""
        self.waiting.append(waiter)
        self.touch()

    def wait_patiently(self, waiter: Waiter) -> None:
        """The same, for somebody whom a moment more does not hold up."""
        self.waiting.append(waiter)
        self.touch_soon()

    def ack(self, spans: Sequence[Span]) -> None:
        """Held messages are done with."""
        self.backing.ack(spans)
        self.touch_soon()

    def begin_losing(self, runs: Sequence[Run]) -> None:
        """Held messages are about to become dead letters."""
        self.losing += total(runs)
        self.losing_octets += sum(run.octets for run in runs)

    def end_losing(self, runs: Sequence[Run]) -> None:
        """They have, or need not."""
        self.losing -= total(runs)
        self.losing_octets -= sum(run.octets for run in runs)
