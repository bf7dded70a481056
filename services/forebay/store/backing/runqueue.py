"""A sub-queue: runs in the order of their sequence numbers."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator

from forebay.store.backing.run import Run


class RunQueue:
    """Runs, ascending and disjoint; counts of messages and octets beside them."""

    __slots__ = ("_runs", "count", "octets")

    def __init__(self) -> None:
        self._runs: deque[Run] = deque()
        self.count = 0
        """Messages."""
        self.octets = 0

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    @property
    def first(self) -> int:
        """The lowest sequence number; only while there is one."""
        return self._runs[0].first

    @property
    def last(self) -> int:
        """The highest sequence number; only while there is one."""
        return self._runs[-1].last

    def append(self, run: Run) -> None:
        """Add behind all others."""
        self._runs.append(run)
        self.count += len(run.ids)
        self.octets += run.octets

    def prepend(self, run: Run) -> None:
        """Add before all others."""
        self._runs.appendleft(run)
        self.count += len(run.ids)
        self.octets += run.octets

    def insert(self, run: Run) -> None:
        """Add in its place."""
        if not self._runs or run.first > self._runs[-1].last:
            self.append(run)
        elif run.last < self._runs[0].first:
            self.prepend(run)
        else:
            self._runs.insert(bisect_left(self._runs, run.first, key=lambda other: other.first), run)
            self.count += len(run.ids)
            self.octets += run.octets

    def pop_first(self) -> Run:
        """Take the first run."""
        run = self._runs.popleft()
        self.count -= len(run.ids)
        self.octets -= run.octets
        return run

    def pop_last(self) -> Run:
        """Take the last run."""
        run = self._runs.pop()
        self.count -= len(run.ids)
        self.octets -= run.octets
        return run

    def take(self, count: int, octets: int) -> list[Run]:
        """Take from the head at most so many messages and octets, but one message if there is one and count allows."""
        taken: list[Run] = []
        while self._runs and count > 0:
            run = self.pop_first()
            part = fitting(run, count, octets) or (0 if taken else 1)
            if part < len(run):
                if part:
                    taken.append(run.part(0, part))
                self.prepend(run.part(part, len(run)))
                return taken
            taken.append(run)
            count -= part
            octets -= run.octets
        return taken

    def take_last(self, count: int) -> Run:
        """Take the last run, or of it the last messages when it has more than so many."""
        run = self.pop_last()
        if len(run) > count:
            rest, run = run.split(len(run) - count)
            self.append(rest)
        return run

    def take_from(self, seq: int) -> list[Run]:
        """Take all with that sequence number or a higher one."""
        taken: list[Run] = []
        while self._runs and self._runs[-1].last >= seq:
            run = self.pop_last()
            if run.first < seq:
                rest, run = run.split(seq - run.first)
                self.append(rest)
            taken.append(run)
        taken.reverse()
        return taken

    def take_until(self, seq: int) -> list[Run]:
        """Take all with a lower sequence number."""
        taken: list[Run] = []
        while self._runs and self._runs[0].first < seq:
            run = self.pop_first()
            if run.last >= seq:
                run, rest = run.split(seq - run.first)
                self.prepend(rest)
            taken.append(run)
        return taken

    def take_expired(self, now: int) -> list[Run]:
        """Take all that have expired."""
        if not any(0 < run.soonest <= now for run in self._runs):
            return []
        taken: list[Run] = []
        kept: list[Run] = []
        for run in self._runs:
            if 0 < run.soonest <= now:
                _sort_out(run, now, taken, kept)
            else:
                kept.append(run)
        self._runs = deque(kept)
        self.count -= sum(map(len, taken))
        self.octets -= sum(run.octets for run in taken)
        return taken

    def soonest(self) -> int:
        """The first expiry; 0 for none."""
        return min((run.soonest for run in self._runs if run.soonest), default=0)


def fitting(run: Run, count: int, octets: int) -> int:
    """How many of the first messages are within so many messages and octets."""
    if run.octets <= octets:
        return min(len(run), count)
    found = 0
    for size in run.sizes[:count]:
        octets -= size
        if octets < 0:
            break
        found += 1
    return found


def _sort_out(run: Run, now: int, taken: list[Run], kept: list[Run]) -> None:
    """Cut a run into what has expired and what has not."""
    start = 0
    expired = [0 < expiry <= now for expiry in run.expiries or ()]
    for stop in range(1, len(expired) + 1):
        if stop == len(expired) or expired[stop] != expired[start]:
            (taken if expired[start] else kept).append(run.part(start, stop))
            start = stop
