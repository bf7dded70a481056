"""What a queue reads from its disk: contents for the next messages, what expires there, what is purged there.

One read goes on at a time; the queue is used meanwhile. What was read is compared with what is there when it comes.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from forebay.msgstore import QueueIndex
from forebay.msgstore.queuerecord import ranges
from forebay.store.backing.indexpager import IndexPager
from forebay.store.backing.loader import Loader
from forebay.store.backing.pending import Pending
from forebay.store.backing.rates import Rates
from forebay.store.backing.run import Run, total
from forebay.store.backing.stages import Stages

LOAD = 2048
"""Messages that are loaded at once."""

LOAD_OCTETS = 4 << 20
"""Octets of contents that are loaded at once, but for the last message and for embedded ones."""

FEWEST = 256
"""Messages that are loaded at once, however low the target."""

TOE = 64
"""Messages that q3 keeps while there is a delta."""

WINDOW = 4096
"""Messages on disk whose expiry is looked at together."""


class Warming:
    """Reads for one queue."""

    def __init__(
        self,
        index: QueueIndex,
        stages: Stages,
        pending: Pending,
        rates: Rates,
        pager: IndexPager,
        loader: Loader,
        lose: Callable[[Run], None],
    ) -> None:
        self._index = index
        self._stages = stages
        self._pending = pending
        self._rates = rates
        self._pager = pager
        self._loader = loader
        self._lose = lose
        self._turn = asyncio.Lock()

    async def warm(self) -> None:
        """Bring the head of q3 into q4, and what follows from delta where q3 ends."""
        stages = self._stages
        async with self._turn:
            wanted = int(max(FEWEST, min(LOAD, self._rates.target)))
            asked = _peek(stages.q3, wanted, LOAD_OCTETS)
            loaded = await self._loader.contents(asked)
            more: list[Run] = []
            if stages.q3.count - total(asked) <= TOE:
                octets = LOAD_OCTETS - sum(run.octets for run in loaded)
                more = await self._advance(max(wanted - total(asked), TOE) + TOE, octets)
            self._place_loaded(asked, loaded)
            self._place_stretch(more)
            stages.move_up()

    async def refill(self) -> None:
        """Bring into q3 what follows from delta, when q3 is about to end."""
        async with self._turn:
            if self._stages.q3.count <= 1 and self._stages.delta.count:
                self._place_stretch(await self._advance(LOAD, 0))
            self._stages.move_up()

    async def expired(self, now: int) -> list[Run]:
        """Take the messages of delta that have expired, of one window."""
        async with self._turn:
            taken = await self._take_expired(now)
            self._stages.move_up()
            self._pager.seek(self._stages.delta.seqs)
        return taken

    async def purge(self, upto: int, done: Callable[[Run], None]) -> int:
        """Take the messages of delta with a number below that; how many."""
        removed = 0
        delta = self._stages.delta
        async with self._turn:
            while delta.count and delta.start < upto:
                seqs = range(delta.start, min(delta.stop, delta.start + LOAD))
                for run in await self._read(seqs):
                    removed += len(run)
                    done(run)
        return removed

    def count(self, seqs: range) -> int:
        """How many of these the index has, acknowledged by nobody and not held."""
        return sum(map(len, self._pending.without(self._index.holding(seqs))))

    async def _advance(self, count: int, octets: int) -> list[Run]:
        """Take about so many messages from the head of delta, some if there are any; contents for so many octets."""
        delta = self._stages.delta
        while delta.count:
            if runs := await self._read(range(delta.start, min(delta.stop, delta.start + count)), octets):
                return runs
        return []

    async def _read(self, seqs: range, octets: int = 0) -> list[Run]:
        """Take the messages of that first part of delta, with contents for so many octets."""
        delta = self._stages.delta
        insertions = delta.insertions
        runs = await self._loader.stretch(seqs)
        near, far = _divide(runs, octets)
        loaded = await self._loader.contents(near)
        if (delta.start, delta.insertions) != (seqs.start, insertions) or not delta.count:
            return []
        self._lose_missing(near, loaded)
        found = [part for run in (*loaded, *far) for part in self._ready(run)]
        self._shrink(seqs.stop, sum(run.octets for run in found))
        return found

    async def _take_expired(self, now: int) -> list[Run]:
        delta = self._stages.delta
        for start in range(delta.start, delta.stop, WINDOW):
            window = range(start, min(start + WINDOW, delta.stop))
            if expired := list(self._pending.without(ranges(self._index.take_expired(window, now)))):
                runs = await self._loader.stretch(range(expired[0].start, expired[-1].stop))
                found = [part for run in _within(runs, expired) for part in self._ready(run)]
                self._forget(found)
                return found
        return []

    def _ready(self, run: Run) -> Iterator[Run]:
        """What of a run that was read is neither held nor acknowledged by now."""
        for seqs in self._pending.without(self._index.holding(run.seqs)):
            yield run.part(seqs.start - run.first, seqs.stop - run.first)

    def _shrink(self, start: int, octets: int) -> None:
        """Delta begins there from now on."""
        delta = self._stages.delta
        delta.start = start
        delta.count = self.count(delta.seqs)
        delta.octets -= octets
        if not delta.count:
            delta.clear()

    def _forget(self, runs: Sequence[Run]) -> None:
        """These are no longer in delta."""
        delta = self._stages.delta
        delta.count -= total(runs)
        delta.octets -= sum(run.octets for run in runs)
        if not delta.count:
            delta.clear()

    def _place_stretch(self, runs: Sequence[Run]) -> None:
        """What was in delta goes on: into q4 where contents are there, but for the toe that q3 keeps in delta."""
        stages = self._stages
        room = total(runs) - (TOE if stages.delta.count else 0)
        for run in runs:
            stages.note(run)
            count = len(run) if run.contents is not None and not stages.q3.count else 0
            count = max(0, min(count, room))
            if count:
                self._hand(run.part(0, count))
                room -= count
            if count < len(run):
                stages.q3.append(self._pager.page_out(run.part(count, len(run))))

    def _place_loaded(self, asked: Sequence[Run], loaded: Sequence[Run]) -> None:
        """The head of q3 goes on to q4, as far as its contents were loaded; what could not be read is lost."""
        q3 = self._stages.q3
        while q3.count:
            head = q3.pop_first()
            known = _covering(asked, head.first)
            if known is None:
                q3.prepend(head)
                return
            found = _covering(loaded, head.first)
            stop = min(head.last, (found or known).last) + 1
            if found is None:
                stop = min([stop, *(run.first for run in loaded if run.first > head.first)])
            count = stop - head.first
            if found is None or found.contents is None:
                self._lose(head.part(0, count))
            else:
                start = head.first - found.first
                self._hand(head.part(0, count).with_contents(found.contents[start : start + count]))
            if count < len(head):
                q3.prepend(head.part(count, len(head)))

    def _hand(self, run: Run) -> None:
        self._stages.q4.append(run)
        self._stages.warmed = run.last

    def _lose_missing(self, asked: Sequence[Run], loaded: Sequence[Run]) -> None:
        """What is ready but could not be read is no more."""
        if total(asked) == total(loaded):
            return
        read = {seq for run in loaded for seq in run.seqs}
        for run in asked:
            for part in self._ready(run):
                for seqs in ranges(seq for seq in part.seqs if seq not in read):
                    self._lose(part.part(seqs.start - part.first, seqs.stop - part.first))


def _peek(queue: Iterable[Run], count: int, octets: int) -> list[Run]:
    """The first runs, together about so many messages and octets, but one."""
    found: list[Run] = []
    for run in queue:
        if found and (count <= 0 or octets <= 0):
            break
        found.append(run)
        count -= len(run)
        octets -= run.octets
    return found


def _divide(runs: Sequence[Run], octets: int) -> tuple[list[Run], list[Run]]:
    """The first runs up to so many octets, and the others."""
    near: list[Run] = []
    for at, run in enumerate(runs):
        if octets <= 0:
            return near, list(runs[at:])
        near.append(run)
        octets -= run.octets
    return near, []


def _within(runs: Iterable[Run], ranges: Sequence[range]) -> Iterator[Run]:
    """The parts of runs that are in some ranges."""
    for run in runs:
        for seqs in ranges:
            start, stop = max(seqs.start, run.first), min(seqs.stop, run.last + 1)
            if start < stop:
                yield run.part(start - run.first, stop - run.first)


def _covering(runs: Sequence[Run], seq: int) -> Run | None:
    """The run with that number, of ascending ones."""
    at = bisect_right(runs, seq, key=lambda run: run.first) - 1
    return runs[at] if at >= 0 and seq <= runs[at].last else None
