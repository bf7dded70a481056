"""How messages come into a queue: they get their numbers, and wait for the disk."""

from array import array
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from forebay.msgstore import QueueIndex, Taken
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
        for persistent, group in groupby(arrivals, key=attrgetter("persistent")):
            self._publish(list(group), persistent=persistent)
        if self._rates.arrived >= PUBLISHES:
            self._rates.update()
        return [Span(0, first, len(arrivals))] if arrivals else []

    def take(self) -> Batch | None:
        """See `BackingQueue`."""
        taken = self._index.take()
        if taken is None and not self._unsettled:
            return None
        return Batch((taken or Taken(0),), (self._unsettled.arrived,), (self._unsettled.released,))

    def _publish(self, arrivals: Sequence[Arrival], *, persistent: bool) -> None:
        run = _run_of(self.next_seq, arrivals, persistent=persistent)
        if persistent:
            self._index.publish_batch(entries_of(run))
        self.next_seq += len(arrivals)
        self._rates.arrived += len(arrivals)
        self._unsettled.arrive(run)


def _run_of(first: int, arrivals: Sequence[Arrival], *, persistent: bool) -> Run:
    contents, ids, embedded, expiries, _, _ = zip(*arrivals, strict=True)
    return Run(
        first,
        list(ids),
        array("I", map(len, contents)),
        list(contents),
        expiries=array("Q", expiries) if any(expiries) else None,
        stored=None if all(embedded) else bytes(not here for here in embedded),
        persistent=persistent,
        filed=persistent,
    )
