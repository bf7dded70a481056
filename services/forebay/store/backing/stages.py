"""Where the ready messages of a queue are: publish -> q1 -> q2 -> delta -> q3 -> q4 -> fetch.

q1 and q4 hold alphas: all of a message is in memory. q2 and q3 hold betas and gammas: number, size and expiry are in
memory, the content is on disk; of gammas the index has the rest too. Delta is on disk alone. Sequence numbers grow
from q4 to q1. A short queue is q4 alone; a message is as far to the right as it may be.
"""

from typing import Protocol

from forebay.store.backing.delta import Delta
from forebay.store.backing.run import Run
from forebay.store.backing.runqueue import RunQueue
from forebay.store.errors import BrokenQueueError


class Pager(Protocol):
    """Takes messages out of memory."""

    def page_out(self, run: Run) -> Run:
        """The messages without their contents, which are on disk then: an alpha becomes a beta or a gamma."""
        ...

    def file(self, run: Run) -> None:
        """Make sure that the index has all of the messages: they go to delta."""
        ...


class Stages:
    """The five parts of a queue, always in order."""

    def __init__(self, pager: Pager) -> None:
        self.q1 = RunQueue()
        self.q2 = RunQueue()
        self.delta = Delta()
        self.q3 = RunQueue()
        self.q4 = RunQueue()
        self.warmed = -1
        """The highest number that was loaded to be fetched next: what is not above it stays in memory till then."""
        self.soonest = 0
        """The first expiry of what is not in delta, or one before it; 0 for none."""
        self._pager = pager

    def __len__(self) -> int:
        return self.q1.count + self.q2.count + self.delta.count + self.q3.count + self.q4.count

    @property
    def octets(self) -> int:
        """Octets of all messages."""
        return self.q1.octets + self.q2.octets + self.delta.octets + self.q3.octets + self.q4.octets

    @property
    def ram_count(self) -> int:
        """Messages whose contents are in memory."""
        return self.q1.count + self.q4.count

    @property
    def ram_octets(self) -> int:
        """Octets of contents in memory."""
        return self.q1.octets + self.q4.octets

    @property
    def head(self) -> Run | None:
        """The first run."""
        return next(iter(self.q4), None) or next(iter(self.q3), None)

    def note(self, run: Run) -> None:
        """Messages are about to come into q1 to q4: mind when they expire."""
        if run.soonest and (not self.soonest or run.soonest < self.soonest):
            self.soonest = run.soonest

    def seek_soonest(self) -> None:
        """Look up the first expiry."""
        times = (queue.soonest() for queue in (self.q4, self.q3, self.q2, self.q1) if queue.count)
        self.soonest = min(filter(None, times), default=0)

    def append(self, run: Run) -> None:
        """Messages came in, all in memory."""
        self.note(run)
        (self.q1 if self.q3.count else self.q4).append(run)

    def place(self, run: Run) -> None:
        """Messages go back to their place."""
        self.note(run)
        if not self.q3.count or run.first < self.q3.first:
            self._place_first(run)
        elif self.delta.count and run.first >= self.delta.start:
            if run.first < self.delta.stop:
                self.to_delta(run)
            else:
                self._place_last(run, self.q2)
        elif self.delta.count or run.first < self.q3.last:
            self.q3.insert(self._pager.page_out(run))
            # Nothing in delta is before the end of this run: the numbers are its own.
            self.delta.start = max(self.delta.start, run.last + 1)
        else:
            self._place_last(run, self.q3)

    def to_delta(self, run: Run) -> None:
        """Messages leave the memory altogether."""
        self._pager.file(run)
        self.delta.add(run.first, len(run), run.octets)

    def move_up(self) -> None:
        """After messages were taken: those behind take the places that became free.

        Delta keeps a message in memory before it, so the last of q4 goes back to q3 where there is no other.
        """
        if self.delta.count and not self.q3.count and self.q4.count:
            self.q3.prepend(self._pager.page_out(self.q4.take_last(1)))
        if not self.delta.count:
            while self.q2.count:
                self.q3.append(self.q2.pop_first())
        if not self.q3.count and not self.delta.count:
            while self.q1.count:
                self.q4.append(self.q1.pop_first())

    def alphas_to_betas(self, count: int) -> int:
        """Page out so many messages that are all in memory, those last that are fetched first; what is left to do."""
        behind = self.q2 if self.delta.count else self.q3
        while count > 0 and self.q1.count:
            run = self._up_to(self.q1, count)
            behind.append(self._pager.page_out(run))
            count -= len(run)
        while count > 0 and self.q4.count and self.q4.last > self.warmed:
            run = self.q4.take_last(min(count, self.q4.last - self.warmed))
            self.q3.prepend(self._pager.page_out(run))
            count -= len(run)
        return max(count, 0)

    def betas_to_delta(self, count: int, keep: int) -> None:
        """Forget so many messages that are not all in memory: the last of q3 but `keep`, then the first of q2."""
        while count > 0 and self.q3.count > keep:
            run = self.q3.take_last(min(count, self.q3.count - keep))
            self.to_delta(run)
            count -= len(run)
        while count > 0 and self.q2.count:
            run = self._up_to(self.q2, count)
            self.to_delta(run)
            count -= len(run)

    def check(self) -> None:
        """Raise `BrokenQueueError` when an invariant does not hold."""
        rules = {
            "q1 without q3": self.q1.count and not self.q3.count,
            "q2 without delta": self.q2.count and not self.delta.count,
            "delta without q3": self.delta.count and not self.q3.count,
            "an alpha in q2 or q3": any(run.contents is not None for run in (*self.q2, *self.q3)),
            "no alpha in q1 or q4": any(run.contents is None for run in (*self.q1, *self.q4)),
            "a count below zero": min(self.delta.count, self.delta.octets) < 0,
            "an order that is none": not self._ascending(),
        }
        for queue in (self.q1, self.q2, self.q3, self.q4):
            rules["a wrong count"] = queue.count != sum(map(len, queue))
            rules["wrong octets"] = queue.octets != sum(sum(run.sizes) for run in queue)
        if broken := [rule for rule, holds in rules.items() if holds]:
            raise BrokenQueueError(f"a queue has {', '.join(broken)}: {self}")

    def __repr__(self) -> str:
        delta = f"{self.delta.start}..{self.delta.stop}:{self.delta.count}"
        shown = {name: list(getattr(self, name)) for name in ("q4", "q3", "q2", "q1")}
        return f"<Stages delta {delta} {shown}>"

    def _place_first(self, run: Run) -> None:
        """Before q3, or where there is none."""
        if run.contents is not None:
            self.q4.insert(run)
            return
        for later in reversed(self.q4.take_from(run.first)):
            self.q3.prepend(self._pager.page_out(later))
        self.q3.prepend(run)

    def _place_last(self, run: Run, before: RunQueue) -> None:
        """Behind delta or, where that is empty, behind q3: into `before`, which ends with betas, or into q1."""
        if before.count and run.first < before.last:
            before.insert(self._pager.page_out(run))
        elif run.contents is not None:
            self.q1.insert(run)
        else:
            for earlier in self.q1.take_until(run.first):
                before.append(self._pager.page_out(earlier))
            before.append(run)

    def _up_to(self, queue: RunQueue, count: int) -> Run:
        run = queue.pop_first()
        if len(run) > count:
            run, rest = run.split(count)
            queue.prepend(rest)
        return run

    def _ascending(self) -> bool:
        before = -1
        for first, last in self._bounds():
            if first <= before:
                return False
            before = last
        return True

    def _bounds(self) -> list[tuple[int, int]]:
        bounds = [(run.first, run.last) for queue in (self.q4, self.q3) for run in queue]
        if self.delta.count:
            bounds.append((self.delta.start, self.delta.stop - 1))
        return bounds + [(run.first, run.last) for queue in (self.q2, self.q1) for run in queue]
