"""Messages that a queue lets go of unwanted: they go on as dead letters, and only then leave it."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from typing import NamedTuple

import structlog

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.backing.run import Run, spans_of
from forebay.store.queueing import deadletters
from forebay.store.queueing.deadletters import Reason
from forebay.store.queueing.queuecore import QueueCore
from forebay.store.queueing.waiting import Waiter

log = structlog.stdlib.get_logger(__name__)

BATCH = 200
"""Messages that go on together."""
FLYING = 16
"""Lots of them that may be on their way at once; more could fill the memory."""
RETRY_SECONDS = 1.0
"""Before letters are sent again that a crashed queue may have lost."""

Forward = Callable[[Sequence[pb.Message], Callable[[Set[int]], None]], None]
"""Publishes letters; the callback gets the positions of those that a crash may have lost, when the others are safe."""


class _Lot(NamedTuple):
    """Held messages that leave for the same reason."""

    run: Run
    reason: Reason
    waiter: Waiter | None


class Letterbox:
    """Dead letters of one queue. guarded: runs what is called back, so that its failure is the queue's alone."""

    def __init__(self, core: QueueCore, forward: Forward, guarded: Callable[[Callable[[], None]], None]) -> None:
        self._core = core
        self._forward = forward
        self._guarded = guarded
        self._lots: deque[_Lot] = deque()
        self._flying = 0
        self._again: list[_Lot] = []
        self._again_at = 0.0

    def lose(self, runs: Sequence[Run], reason: Reason, waiter: Waiter | None = None) -> None:
        """Held messages are not wanted here. The waiter is told when all of them have left for good."""
        core = self._core
        if not runs:
            if waiter:
                core.wait(waiter)
        elif core.spec.dead_letter_address:
            core.begin_losing(runs)
            *others, last = [part for run in runs for part in _parts(run)]
            self._lots += [_Lot(part, reason, None) for part in others]
            self._lots.append(_Lot(last, reason, waiter))
            core.stir()
        else:
            core.ack(spans_of(runs))
            if waiter:
                core.wait(waiter)

    def lose_contents(self, contents: Sequence[bytes], reason: Reason, done: Callable[[], None]) -> None:
        """The same for messages that never got into the queue; `done` when all is over."""
        if self._core.spec.dead_letter_address:
            self._core.counters.dead_lettered += len(contents)
            self._forward(self._letters(contents, reason), lambda _: done())
        else:
            done()

    def retry_in(self) -> float | None:
        """Seconds until something has to be sent again; None: nothing has to."""
        return max(0.0, self._again_at - self._core.clock.monotonic()) if self._again else None

    async def send(self) -> None:
        """Send what there is."""
        if self._again and not self.retry_in():
            self._lots.extendleft(reversed(self._again))
            self._again = []
        while self._lots and self._flying < FLYING:
            lot = self._lots.popleft()
            loaded = await self._core.backing.contents_of([lot.run])
            self._send(lot, loaded)

    def _send(self, lot: _Lot, loaded: Sequence[Run]) -> None:
        contents = [content for run in loaded for content in run.contents or ()]
        seqs = [seq for run in loaded for seq in run.seqs]
        if not contents or not self._core.spec.dead_letter_address:
            self._gone(lot, ())
            return
        self._core.counters.dead_lettered += len(contents)
        letters = self._letters(contents, lot.reason)

        def done(broken: Set[int]) -> None:
            self._flying -= 1
            self._guarded(lambda: self._gone(lot, [seqs[position] for position in sorted(broken)]))
            self._core.stir()

        self._flying += 1
        self._forward(letters, done)

    def _letters(self, contents: Sequence[bytes], reason: Reason) -> list[pb.Message]:
        spec, now = self._core.spec, self._core.now_ms
        return [deadletters.letter(content, spec.name, reason, spec.dead_letter_address, now) for content in contents]

    def _gone(self, lot: _Lot, broken: Sequence[int]) -> None:
        """The letters of a lot are safe, but for some."""
        core, run = self._core, lot.run
        if broken:
            log.warning("dead letters are sent again, a queue crashed", queue=core.spec.name, count=len(broken))
            core.counters.dead_lettered -= len(broken)
            left = [run.part(seq - run.first, seq - run.first + 1) for seq in broken]
            self._again += [_Lot(part, lot.reason, None) for part in left[:-1]]
            self._again.append(_Lot(left[-1], lot.reason, lot.waiter))
            self._again_at = core.clock.monotonic() + RETRY_SECONDS
            core.stir()
        lost = set(broken)
        done = [run] if not lost else [run.part(at, at + 1) for at, seq in enumerate(run.seqs) if seq not in lost]
        core.end_losing(done)
        core.ack(spans_of(done))
        if lot.waiter and not broken:
            core.wait(lot.waiter)

    @property
    def busy(self) -> bool:
        """There are more on their way than may be."""
        return len(self._lots) >= FLYING


def _parts(run: Run) -> Iterator[Run]:
    return (run.part(at, min(at + BATCH, len(run))) for at in range(0, len(run), BATCH))
