"""Messages that were handed out and not settled yet."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from forebay.store.backing.run import Run, Span
from forebay.store.errors import UnknownSpanError


class Pending:
    """Held messages by sequence number; contents in memory or not."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._runs: list[Run] = []
        self.count = 0
        """Messages."""
        self.octets = 0
        self.ram_count = 0
        """Messages whose contents are in memory."""
        self.ram_octets = 0

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def add(self, run: Run) -> None:
        """A run was handed out."""
        if not self._firsts or run.first > self._firsts[-1]:
            self._firsts.append(run.first)
            self._runs.append(run)
        else:
            at = bisect_left(self._firsts, run.first)
            self._firsts.insert(at, run.first)
            self._runs.insert(at, run)
        self._count(run, 1)

    def find(self, span: Span) -> list[Run]:
        """The messages of a span, in order. Raises `UnknownSpanError` when any is not held."""
        start, stop = self._bounds(span)
        last = span.first + span.count
        return [
            run.part(max(0, span.first - run.first), min(len(run), last - run.first)) for run in self._runs[start:stop]
        ]

    def take(self, span: Span) -> list[Run]:
        """As `find`; they are no longer held."""
        start, stop = self._bounds(span)
        last = span.first + span.count
        taken: list[Run] = []
        kept: list[Run] = []
        for run in self._runs[start:stop]:
            self._count(run, -1)
            before, behind = span.first - run.first, last - run.first
            if before > 0:
                kept.append(run.part(0, before))
            taken.append(run.part(max(0, before), min(len(run), behind)))
            if behind < len(run):
                kept.append(run.part(behind, len(run)))
        self._runs[start:stop] = kept
        self._firsts[start:stop] = [run.first for run in kept]
        for run in kept:
            self._count(run, 1)
        return taken

    def overlapping(self, seqs: range) -> Iterator[range]:
        """The numbers in a range that are held, as ranges."""
        at = max(0, bisect_right(self._firsts, seqs.start) - 1)
        for run in self._runs[at:]:
            if run.first >= seqs.stop:
                return
            part = range(max(run.first, seqs.start), min(run.last + 1, seqs.stop))
            if part:
                yield part

    def without(self, ranges: Iterable[range]) -> Iterator[range]:
        """What of these numbers is not held."""
        for seqs in ranges:
            start = seqs.start
            for held in self.overlapping(seqs):
                if held.start > start:
                    yield range(start, held.start)
                start = held.stop
            if start < seqs.stop:
                yield range(start, seqs.stop)

    def page_out(self, count: int, page_out: Callable[[Run], Run]) -> int:
        """Let go of the contents of so many messages, or a few more, the newest first; how many these were."""
        done = 0
        for at in range(len(self._runs) - 1, -1, -1):
            if done >= count or not self.ram_count:
                break
            run = self._runs[at]
            if run.contents is not None:
                self._count(run, -1)
                self._runs[at] = page_out(run)
                self._count(self._runs[at], 1)
                done += len(run)
        return done

    def _bounds(self, span: Span) -> tuple[int, int]:
        """Positions of the runs that hold the span."""
        stop = span.first + span.count
        start = at = bisect_right(self._firsts, span.first) - 1
        seq = span.first
        while 0 <= at < len(self._runs) and self._runs[at].first <= seq <= self._runs[at].last:
            seq = self._runs[at].last + 1
            at += 1
            if seq >= stop:
                return start, at
        raise UnknownSpanError(f"messages {span.first} to {stop - 1} are settled, but {seq} is not held")

    def _count(self, run: Run, sign: int) -> None:
        self.count += sign * len(run.ids)
        self.octets += sign * run.octets
        if run.contents is not None:
            self.ram_count += sign * len(run.ids)
            self.ram_octets += sign * run.octets
