"""Looking at messages of a queue, those that are held among them, without taking any."""

from collections.abc import Iterable

from forebay.store.backing.loader import Loader
from forebay.store.backing.pending import Pending
from forebay.store.backing.protocol import Browsed
from forebay.store.backing.run import Run, total
from forebay.store.backing.runqueue import fitting
from forebay.store.backing.stages import Stages

WINDOW = 512
"""Numbers on disk that are read at once."""


async def browse(stages: Stages, pending: Pending, loader: Loader, seq: int, count: int, octets: int) -> Browsed:
    """Messages from a number on, at most so many and so many octets, but one. `next` is a number, too."""
    near = [*stages.q4, *stages.q3, *pending, *stages.q2, *stages.q1]
    delta = stages.delta
    if delta.count and total(_first((run for run in near if run.first < delta.start), seq, count + 1)) <= count:
        near += await _of_delta(delta.seqs, loader, seq, count + 1)
    found = _first(near, seq, count + 1)
    shown: list[Run] = []
    for run in found:
        part = fitting(run, count, octets) or (0 if shown else 1)
        if part:
            shown.append(run.part(0, part))
            count -= part
            octets -= shown[-1].octets
        if part < len(run):
            return Browsed(await loader.contents(shown), run.first + part)
    return Browsed(await loader.contents(shown), 0)


async def _of_delta(seqs: range, loader: Loader, seq: int, count: int) -> list[Run]:
    found: list[Run] = []
    start = max(seq, seqs.start)
    while start < seqs.stop and total(found) < count:
        found += await loader.stretch(range(start, min(seqs.stop, start + WINDOW)))
        start += WINDOW
    return found


def _first(runs: Iterable[Run], seq: int, count: int) -> list[Run]:
    """The first messages from that number on, in order and each once."""
    found: list[Run] = []
    for run in sorted(runs, key=lambda run: run.first):
        if run.last >= seq and count > 0:
            start = max(0, seq - run.first)
            found.append(run.part(start, min(len(run), start + count)))
            seq = found[-1].last + 1
            count -= len(found[-1])
    return found
