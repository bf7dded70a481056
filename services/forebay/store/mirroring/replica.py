"""What a mirror has on its disk: the message store and the indexes of queues, kept as the primary tells.

There is no queue at work here. Once it is promoted, the store starts on these files as after any restart.
"""

import asyncio
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from forebay.msgstore import Disk, EntryBatch, MessageStore, Put, QueueIndex
from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.store.backing import queuefolder
from forebay.store.backing.queuefolder import in_thread
from forebay.store.mirroring.changes import NOWHERE

ID = len(NOWHERE)


class Replica:
    """Everything that a mirror keeps, from an empty disk on. `apply` is called in order, one call at a time."""

    def __init__(self, disk: Disk, contents: MessageStore, *, sync: bool) -> None:
        """sync: what is answered is durable."""
        self._disk = disk
        self._store = contents
        self._sync = sync
        self._queues: dict[str, _Queue] = {}
        self._fresh: dict[bytes, bytes] = {}
        """Contents of the step that is under way."""
        self._released: list[bytes] = []

    async def apply(self, request: pb.FollowRequest) -> bool:
        """Do what a request says; whether it ended a step, which is durable by now then.

        Raises `MessageStoreError`, after which this is of no use but to be closed.
        """
        self._fresh.update((content.id, content.data) for content in request.contents)
        needed: Counter[bytes] = Counter()
        for change in request.changes:
            await self._opened(change)
            needed.update(self._news(change))
        # Contents are durable before an index names them.
        puts = [Put(id, (self._fresh[id],), count) for id, count in needed.items() if id in self._fresh]
        if puts:
            await self._store.put(puts)
        for change in request.changes:
            await self._change(change)
        if request.step:
            await self._end_step()
        return bool(request.step)

    async def rest(self) -> None:
        """Do what may be done later; to be called after each step was answered."""
        for index in self._indexes():
            if index.checkpoint_due:
                await in_thread(index.checkpoint)

    async def close(self) -> None:
        """Write everything and close the files of the queues."""
        await asyncio.gather(*(in_thread(index.close) for index in self._indexes()))

    def _indexes(self) -> Iterator[QueueIndex]:
        for queue in self._queues.values():
            yield from queue.levels

    async def _opened(self, change: pb.QueueChange) -> None:
        if change.HasField("opened") and change.uid not in self._queues:
            ahead = list(change.opened.next)
            self._queues[change.uid] = await in_thread(lambda: _Queue(self._disk, change.uid, ahead))

    def _news(self, change: pb.QueueChange) -> Sequence[bytes]:
        """Ids of contents that need a reference: of messages that are new here."""
        queue = self._queues.get(change.uid)
        if queue is None or not change.HasField("published"):
            return ()
        entries = change.published
        known = queue.known(change.level, range(entries.first, entries.first + len(entries.sizes)))
        ids = _split(entries.ids)
        return [id for id, body, seen in zip(ids, entries.bodies, known, strict=True) if not body and not seen]

    async def _change(self, change: pb.QueueChange) -> None:
        queue = self._queues.get(change.uid)
        if queue is None:
            return
        if change.HasField("removed"):
            del self._queues[change.uid]
            self._released += await in_thread(queue.erase)
            await in_thread(lambda: queuefolder.erase(self._disk, queuefolder.folder_of(change.uid)))
        else:
            self._released += queue.change(change)

    async def _end_step(self) -> None:
        taken = [(index, batch) for index in self._indexes() if (batch := index.take())]
        await asyncio.gather(*(in_thread(partial(index.write, batch, sync=self._sync)) for index, batch in taken))
        released, self._released = self._released, []
        self._store.remove(released)
        self._fresh.clear()


class _Queue:
    """The indexes of a queue, one for each level."""

    def __init__(self, disk: Disk, uid: str, ahead: Sequence[int]) -> None:
        """ahead: for each level the number that comes next. Blocks."""
        folder = queuefolder.folder_of(uid)
        folders = [f"{folder}/p{level}" for level in range(len(ahead))] if len(ahead) > 1 else [folder]
        self.levels = [QueueIndex(disk, path) for path in folders]
        for index, number in zip(self.levels, ahead, strict=True):
            if number > index.next_seq:
                # Numbers are never given twice, not even those of messages that were gone before this mirror came.
                index.next_seq = number
                index.checkpoint()

    def known(self, level: int, seqs: range) -> bytes:
        """For each of these numbers, 1 when a message of it is waiting here."""
        places = bytearray(len(seqs))
        for held in self.levels[level].holding(seqs):
            places[held.start - seqs.start : held.stop - seqs.start] = b"\1" * len(held)
        return bytes(places)

    def change(self, change: pb.QueueChange) -> list[bytes]:
        """Do what a change says; returns ids of contents that lose a reference."""
        index = self.levels[change.level]
        if change.HasField("published"):
            index.publish_batch(_batch(change.published))
            _count(index, change.published)
        elif change.HasField("acknowledged"):
            return self._acknowledge(change.level, change.acknowledged)
        elif change.HasField("delivered"):
            index.deliver(_range(change.delivered.first, change.delivered.count), change.delivered.deliveries)
        elif change.HasField("marked"):
            for each in self.levels:
                each.mark(change.marked.name, change.marked.value)
        return []

    def _acknowledge(self, level: int, gone: pb.MirrorAcknowledged) -> list[bytes]:
        seqs = _range(gone.first, gone.count)
        known = self.known(level, seqs)
        self.levels[level].acknowledge(seqs)
        ids = _split(gone.stored) if gone.stored else ()
        return [id for id, held in zip(ids, known, strict=False) if held and id != NOWHERE]

    def erase(self) -> list[bytes]:
        """Delete all files; returns ids as `change`. Blocks."""
        released = [id for index in self.levels for id, count in index.references() for _ in range(count)]
        for index in self.levels:
            index.erase()
        return released


def _batch(entries: pb.MirrorEntries) -> EntryBatch:
    bodies: list[bytes | None] = [body or None for body in entries.bodies]
    return EntryBatch(
        entries.first,
        _split(entries.ids),
        array("I", entries.sizes),
        array("Q", entries.expiries) if entries.expiries else None,
        bodies if any(bodies) else None,
    )


def _count(index: QueueIndex, entries: pb.MirrorEntries) -> None:
    """Tell how often messages were handed out that are copied."""
    for seq, times in enumerate(entries.deliveries, entries.first):
        if times:
            index.deliver(range(seq, seq + 1), times)


def _split(ids: bytes) -> list[bytes]:
    return [ids[at : at + ID] for at in range(0, len(ids), ID)]


def _range(first: int, count: int) -> range:
    return range(first, first + count)
