"""How messages come into a queue: they get their numbers, and wait for the disk."""

from collections.abc import Sequence

from forebay.msgstore import QueueIndex, Taken
from forebay.store.backing.arrivals import Arrivals
from forebay.store.backing.indexpager import entries_of
from forebay.store.backing.protocol import Batch
from forebay.store.backing.rates import PUBLISHES, Rates
from forebay.store.backing.run import Arrival, Run, Span
from forebay.store.backing.unsettled import Unsettled


class Intake:
    """Numbers what comes in. Persistent messages are in the index from then on."""

    def __init__(self, index: QueueIndex, unsettled: Unsettled, rates: Rates) -> None:
        self._index = index
        self._unsettled = unsettled
        self._rates = rates
        self.next_seq = index.next_seq
        """Number of the next message."""

    def publish(self, arrivals: Sequence[Arrival]) -> list[Span]:
        """See `BackingQueue`."""
        first = self.next_seq
        for run in Arrivals.of(arrivals).runs(first) if arrivals else ():
            self._publish(run)
        if self._rates.arrived >= PUBLISHES:
            self._rates.update()
        return [Span(0, first, len(arrivals))] if arrivals else []

    def take(self) -> Batch | None:
        """See `BackingQueue`."""
        taken = self._index.take()
        if taken is None and not self._unsettled:
            return None
        return Batch((taken or Taken(0),), (self._unsettled.arrived,), (self._unsettled.released,))

    def _publish(self, run: Run) -> None:
        if run.persistent:
            self._index.publish_batch(entries_of(run))
        self.next_seq += len(run)
        self._rates.arrived += len(run)
        self._unsettled.arrive(run)
