"""What a queue tells its index beside arrivals: messages that leave the memory, and deliveries."""

from array import array
from collections.abc import Iterable
from itertools import groupby

from forebay.msgstore import EntryBatch, QueueIndex
from forebay.msgstore.segment import MOST_DELIVERIES
from forebay.store.backing.run import Run


class IndexPager:
    """A `Pager`. Persistent messages are in the index from the start, the others only when they leave the memory."""

    def __init__(self, index: QueueIndex) -> None:
        self._index = index
        self.soonest = 0
        """The first expiry of all that went to delta since `seek`, or one before it; 0 for none."""

    def page_out(self, run: Run) -> Run:
        """The messages without their contents."""
        if run.contents is None:
            return run
        if not run.filed and not (run.stored and 0 not in run.stored):
            self._publish(run)
            run = run.in_index()
        return run.with_contents(None)

    def file(self, run: Run) -> None:
        """Make sure that the index has all of the messages, when they expire included."""
        if not run.filed:
            self._publish(run)
        if run.expiries:
            self._index.set_expiries(run.first, run.expiries)
            if run.soonest:
                self.soonest = min(self.soonest or run.soonest, run.soonest)

    def seek(self, seqs: range) -> None:
        """Look up when the first of these expires."""
        self.soonest = self._index.soonest(seqs)

    def _publish(self, run: Run) -> None:
        self._index.publish_batch(entries_of(run))
        note_deliveries(self._index, run.first, run.deliveries or ())


def entries_of(run: Run) -> EntryBatch:
    """A run as the index takes it."""
    bodies: list[bytes | None] | None = None
    if run.contents is not None:
        bodies = [*run.contents]
        if run.stored:
            bodies = [None if stored else body for stored, body in zip(run.stored, bodies, strict=True)]
    return EntryBatch(run.first, run.ids, run.sizes, run.expiries, bodies, run.persistent)


def count_delivery(index: QueueIndex, run: Run) -> None:
    """Tell the index that these messages are handed out once more."""
    if not run.filed:
        return
    if run.deliveries is None:
        index.deliver(run.seqs, 1)
    else:
        note_deliveries(index, run.first, (times + 1 for times in run.deliveries))


def deliveries_of(run: Run) -> "array[int] | None":
    """Deliveries of messages that go back, the one that ends now included."""
    if not run.counted:
        return run.deliveries
    if run.deliveries is None:
        return array("H", (1,)) * len(run)
    return array("H", [min(times + 1, MOST_DELIVERIES) for times in run.deliveries])


def note_deliveries(index: QueueIndex, first: int, deliveries: Iterable[int]) -> None:
    """Tell the index how often each of some consecutive messages was delivered; those that never were are left out."""
    for times, group in groupby(deliveries):
        count = sum(1 for _ in group)
        if times:
            index.deliver(range(first, first + count), times)
        first += count
