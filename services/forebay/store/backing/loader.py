"""Bringing messages back from the disk."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from forebay.msgstore import EntryBatch, QueueIndex
from forebay.store.backing.protocol import Bodies
from forebay.store.backing.run import Run

T = TypeVar("T")


class Loader:
    """Reads from the index in threads, and from the message stores as those have it."""

    def __init__(self, index: QueueIndex, bodies: Bodies, passing: Bodies) -> None:
        self._index = index
        self._bodies = bodies
        self._passing = passing

    async def stretch(self, seqs: range) -> list[Run]:
        """What the index has in a range, in order; contents are in memory where all of a run are embedded."""
        return [run_of(batch) for batch in await _in_thread(lambda: self._index.read_batches(seqs))]

    async def contents(self, runs: Sequence[Run]) -> list[Run]:
        """The same messages, in order, with their contents in memory; those that cannot be read are missing."""
        embedded = [run for run in runs if run.contents is None and not _all_stored(run)]
        batches = await _in_thread(lambda: [self._index.read_batches(run.seqs) for run in embedded]) if embedded else []
        read = dict(zip((run.first for run in embedded), batches, strict=True))
        stored = await self._fetch(runs)
        loaded: list[Run] = []
        for run in runs:
            if run.contents is not None:
                loaded.append(run)
            else:
                loaded += _filled(run, read.get(run.first, []), stored)
        return loaded

    async def _fetch(self, runs: Sequence[Run]) -> dict[bytes, bytes | None]:
        """Contents by id of what the message stores have."""
        found: dict[bytes, bytes | None] = {}
        for persistent, store in ((True, self._bodies), (False, self._passing)):
            wanted = [run for run in runs if run.contents is None and run.persistent is persistent]
            if ids := [id for run in wanted for id in run.released()]:
                found.update(zip(ids, await store.fetch(ids), strict=True))
        return found


def run_of(batch: EntryBatch) -> Run:
    """Entries of the index as a run."""
    first, ids, sizes, expiries, bodies, persistent, deliveries = batch
    stored = bytes(body is None for body in bodies) if bodies else b"\x01" * len(ids)
    embedded = [body for body in bodies or () if body is not None]
    return Run(
        first,
        ids,
        sizes,
        embedded if len(embedded) == len(ids) else None,
        expiries=expiries,
        deliveries=deliveries,
        stored=None if len(embedded) == len(ids) else stored,
        persistent=persistent,
    )


def _all_stored(run: Run) -> bool:
    return run.stored is not None and 0 not in run.stored


def _filled(run: Run, batches: list[EntryBatch], stored: dict[bytes, bytes | None]) -> Iterator[Run]:
    """What of a run was read."""
    if run.stored is None and len(batches) == 1 and len(batches[0].ids) == len(run):
        bodies = [body for body in batches[0].bodies or () if body is not None]
        if len(bodies) == len(run):
            yield run.with_contents(bodies)
            return
    embedded = {seq: body for batch in batches for seq, body in zip(batch.seqs, batch.bodies or (), strict=False)}
    contents = [
        stored.get(id) if kept else embedded.get(seq)
        for seq, id, kept in zip(run.seqs, run.ids, run.stored or bytes(len(run)), strict=True)
    ]
    yield from _whole(run, contents)


def _whole(run: Run, contents: list[bytes | None]) -> Iterator[Run]:
    """The parts of a run without a hole in its contents."""
    start = 0
    for stop in range(len(contents) + 1):
        if stop == len(contents) or contents[stop] is None:
            if found := [content for content in contents[start:stop] if content is not None]:
                yield run.part(start, stop).with_contents(found)
            start = stop + 1


async def _in_thread(read: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, read)
