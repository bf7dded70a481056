"""Deliveries that a consumer has not settled: their numbers, and the messages of the queue that they stand for."""

from bisect import bisect_right

from forebay.store.backing.run import Run, Span
from forebay.store.errors import UnknownDeliveryError


class Outstanding:
    """Consecutive numbers that stand for consecutive messages are kept as one stretch."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._spans: list[Span] = []
        self.next = 1
        """Number of the next delivery."""
        self.count = 0
        """Deliveries."""

    def add(self, run: Run) -> None:
        """These messages are delivered under the next numbers."""
        count = len(run)
        span = run.span
        last = self._spans[-1] if self._spans else None
        if (
            last
            and self._firsts[-1] + last.count == self.next
            and (last.level, last.first + last.count) == (span.level, span.first)
        ):
            self._spans[-1] = last._replace(count=last.count + count)
        else:
            self._firsts.append(self.next)
            self._spans.append(span)
        self.next += count
        self.count += count

    def take(self, first: int, count: int) -> list[Span]:
        """The messages of these deliveries, which are settled. Raises `UnknownDeliveryError`; then nothing is done."""
        start, stop = self._bounds(first, count)
        taken: list[Span] = []
        firsts: list[int] = []
        kept: list[Span] = []
        for number, span in zip(self._firsts[start:stop], self._spans[start:stop], strict=True):
            before, behind = max(0, first - number), min(span.count, first + count - number)
            if before:
                firsts.append(number)
                kept.append(span._replace(count=before))
            taken.append(Span(span.level, span.first + before, behind - before))
            if behind < span.count:
                firsts.append(number + behind)
                kept.append(Span(span.level, span.first + behind, span.count - behind))
        self._firsts[start:stop] = firsts
        self._spans[start:stop] = kept
        self.count -= count
        return taken

    def take_all(self) -> list[Span]:
        """The messages of all deliveries, which are no longer outstanding."""
        spans, self._spans, self._firsts, self.count = self._spans, [], [], 0
        return spans

    def _bounds(self, first: int, count: int) -> tuple[int, int]:
        """Places of the stretches that hold these numbers."""
        start = at = bisect_right(self._firsts, first) - 1
        number, stop = first, first + count
        while count > 0 and 0 <= at < len(self._firsts) and number < self._firsts[at] + self._spans[at].count:
            if self._firsts[at] > number:
                break
            number = self._firsts[at] + self._spans[at].count
            at += 1
            if number >= stop:
                return start, at
        raise UnknownDeliveryError(first, count)
