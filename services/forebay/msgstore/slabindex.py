"""The index in memory: open addressing over slabs of machine integers, about 42 octets a message."""

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from struct import Struct

from forebay.msgstore.index import Entry, Held, Place, Where

SHARDS = 1024
"""Tables; each grows on its own, so that growing never stops anyone for more than about a millisecond."""

_SHARD_BITS = SHARDS.bit_length() - 1
_SHARD_MASK = SHARDS - 1
_FIRST_TABLE = 8
_ID = 16
_ID_SLOT = Struct(f"{_ID}s")
_PAGE = 1024
"""Slots."""
_REMOVED = 1
"""Slot of a removed entry. It holds an id that no message has, so that every search goes on past it."""


class _Shard:
    """A table of slot numbers, at most two thirds full; 0 means empty.

    The hash is Python's own for octets: keyed by a secret of the process, so nobody can choose ids that collide.
    """

    __slots__ = ("filled", "mask", "most", "table")

    def __init__(self, size: int) -> None:
        self.table = array("I", bytes(4 * size))
        self.mask = size - 1
        self.most = 2 * self.mask // 3
        """Places that may be filled."""
        self.filled = 0
        """Places that are not empty, those of removed entries included."""

    @property
    def slots(self) -> list[int]:
        """Slots of the entries."""
        return [slot for slot in self.table if slot > _REMOVED]


class SlabIndex:
    """A `MessageIndex` in memory. The fields of the entries are in parallel slabs, at the entry's slot.

    What was stored together is mostly asked for together, and lies in one run of slots: `find` and `release` look for
    the ids as such a run first, of which all is done at once. Else they, and `count`, each have the search of `_seek`
    in their loop: a call an id would double their time.
    """

    def __init__(self) -> None:
        self._shards = [_Shard(_FIRST_TABLE) for _ in range(SHARDS)]
        self._no_id = os.urandom(_ID)
        """Stands in the slots of removed entries."""
        self._ids = bytearray(_ID) + self._no_id
        self._wheres = array("Q", [0, 0])
        self._sizes = array("I", [0, 0])
        self._refs = array("I", [0, 0])
        self._free = 0
        """First of the slots to be used again; `_wheres` leads to the next."""
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def begin(self, mark: bytes | None) -> dict[int, Held] | None:
        """Nothing is kept in memory."""
        return None

    def keep(self, mark: bytes, files: dict[int, Held]) -> bool:
        """Nothing is kept in memory."""
        return False

    def close(self) -> None:
        """Nothing is held."""

    def find(self, ids: Sequence[bytes]) -> list[Place | None]:
        """Place of each id, None for one that is not there."""
        if run := self._run(ids):
            return list(self._places(run))
        shards, known, wheres, sizes = self._shards, self._ids, self._wheres, self._sizes
        found: list[Place | None] = []
        for id in ids:
            hashed = hash(id)
            shard = shards[hashed & _SHARD_MASK]
            table, mask = shard.table, shard.mask
            at = hashed >> _SHARD_BITS & mask
            while slot := table[at]:
                if known.startswith(id, slot * _ID):
                    found.append((wheres[slot], sizes[slot]))
                    break
                at = at + 1 & mask
            else:
                found.append(None)
        return found

    def insert(self, entries: Iterable[Entry]) -> None:
        """Add entries whose ids are not there yet."""
        columns = list(zip(*entries, strict=True))
        if not columns:
            return
        ids, wheres, sizes, refs = columns
        shards = self._shards
        for id, slot in zip(ids, self._store(ids, wheres, sizes, refs), strict=True):
            hashed = hash(id)
            shard = shards[hashed & _SHARD_MASK]
            table, mask = shard.table, shard.mask
            at = hashed >> _SHARD_BITS & mask
            while table[at] > _REMOVED:
                at = at + 1 & mask
            if not table[at]:
                shard.filled += 1
            table[at] = slot
            if shard.filled > shard.most:
                self._rebuild(hashed & _SHARD_MASK)

    def count(self, counts: Sequence[tuple[bytes, int]]) -> list[bool]:
        """Add references to each id; False for one that is not there."""
        shards, known, counted = self._shards, self._ids, self._refs
        found: list[bool] = []
        for id, refs in counts:
            hashed = hash(id)
            shard = shards[hashed & _SHARD_MASK]
            table, mask = shard.table, shard.mask
            at = hashed >> _SHARD_BITS & mask
            while (slot := table[at]) and not known.startswith(id, slot * _ID):
                at = at + 1 & mask
            if slot:
                counted[slot] += refs
            found.append(slot > 0)
        return found

    def release(self, ids: Sequence[bytes]) -> list[Place]:
        """Take one reference from each, and delete what had its last one."""
        if run := self._run(ids):
            counts = self._refs[run]
            if min(counts) > 1:
                self._refs[run] = array("I", [count - 1 for count in counts])
                return []
            if max(counts) <= 1:
                return self._release_run(run, ids)
        shards, known, wheres, sizes, refs = self._shards, self._ids, self._wheres, self._sizes, self._refs
        gone: list[Place] = []
        for id in ids:
            hashed = hash(id)
            shard = shards[hashed & _SHARD_MASK]
            table, mask = shard.table, shard.mask
            at = hashed >> _SHARD_BITS & mask
            while slot := table[at]:
                if known.startswith(id, slot * _ID):
                    if refs[slot] > 1:
                        refs[slot] -= 1
                    else:
                        gone.append((wheres[slot], sizes[slot]))
                        table[at] = _REMOVED
                        self._vacate(slot)
                    break
                at = at + 1 & mask
        self._used -= len(gone)
        return gone

    def move(self, moves: Sequence[tuple[bytes, Where, Where]]) -> list[bool]:
        """Change the place of each, only if it still is the old one."""
        return [self._move(id, old, new) for id, old, new in moves]

    def _move(self, id: bytes, old: Where, new: Where) -> bool:
        _, _, slot = self._seek(id)
        if not slot or self._wheres[slot] != old:
            return False
        self._wheres[slot] = new
        return True

    def delete_object(self, id: bytes, old: Where) -> int | None:
        """Delete, only if the place still is `old`."""
        table, at, slot = self._seek(id)
        if not slot or self._wheres[slot] != old:
            return None
        table[at] = _REMOVED
        self._vacate(slot)
        self._used -= 1
        return self._sizes[slot]

    def forget_counts(self) -> None:
        """Set every reference count to zero."""
        self._refs = array("I", bytes(4 * len(self._refs)))

    def unowned(self) -> Iterator[list[bytes]]:
        """Ids of all entries without references, a shard a page."""
        return (
            [_ID_SLOT.unpack_from(self._ids, slot * _ID)[0] for slot in shard.slots if not self._refs[slot]]
            for shard in self._shards
        )

    def pages(self) -> Iterator[list[Entry]]:
        """All entries in the order of their slots, so that they lie in runs where they are read again."""
        first = _REMOVED + 1
        while first < len(self._refs):
            page = slice(first, first + _PAGE)
            ids = chain.from_iterable(_ID_SLOT.iter_unpack(self._ids[page.start * _ID : page.stop * _ID]))
            columns = zip(ids, self._wheres[page], self._sizes[page], self._refs[page], strict=True)
            yield [Entry(*fields) for fields in columns if fields[0] != self._no_id]
            first = page.stop

    def _seek(self, id: bytes) -> tuple["array[int]", int, int]:
        """Table, place in it and slot of an id; slot 0 when it is not there."""
        hashed = hash(id)
        shard = self._shards[hashed & _SHARD_MASK]
        table, mask = shard.table, shard.mask
        at = hashed >> _SHARD_BITS & mask
        while (slot := table[at]) and not self._ids.startswith(id, slot * _ID):
            at = at + 1 & mask
        return table, at, slot

    def _run(self, ids: Sequence[bytes]) -> slice | None:
        """The slots of the ids if these are two or more and lie there one after the other."""
        if len(ids) < 2:
            return None
        _, _, first = self._seek(ids[0])
        if not first or not self._ids.startswith(b"".join(ids), first * _ID):
            return None
        return slice(first, first + len(ids))

    def _places(self, run: slice) -> Iterator[Place]:
        return zip(self._wheres[run], self._sizes[run], strict=True)

    def _release_run(self, run: slice, ids: Sequence[bytes]) -> list[Place]:
        shards = self._shards
        for slot, id in enumerate(ids, run.start):
            hashed = hash(id)
            shard = shards[hashed & _SHARD_MASK]
            table, mask = shard.table, shard.mask
            at = hashed >> _SHARD_BITS & mask
            while table[at] != slot:
                at = at + 1 & mask
            table[at] = _REMOVED
        gone = list(self._places(run))
        # The slots are used again in their order, so that what comes next lies in a run too.
        self._wheres[run] = array("Q", [*range(run.start + 1, run.stop), self._free])
        self._free = run.start
        self._ids[run.start * _ID : run.stop * _ID] = self._no_id * len(ids)
        self._used -= len(ids)
        return gone

    def _vacate(self, slot: int) -> None:
        """The slot can be used again; without the id, that a run does not go on into it."""
        self._ids[slot * _ID : slot * _ID + _ID] = self._no_id
        self._wheres[slot], self._free = self._free, slot

    def _store(
        self, ids: Sequence[bytes], wheres: Sequence[Where], sizes: Sequence[int], refs: Sequence[int]
    ) -> list[int]:
        """Write entries into free slots, and into new ones at the end; their slots."""
        slots: list[int] = []
        while self._free and len(slots) < len(ids):
            at, slot = len(slots), self._free
            self._free = self._wheres[slot]
            self._ids[slot * _ID : slot * _ID + _ID] = ids[at]
            self._wheres[slot], self._sizes[slot], self._refs[slot] = wheres[at], sizes[at], refs[at]
            slots.append(slot)
        reused, first = len(slots), len(self._refs)
        slots += range(first, first + len(ids) - reused)
        self._ids += b"".join(ids[reused:])
        self._wheres.extend(wheres[reused:])
        self._sizes.extend(sizes[reused:])
        self._refs.extend(refs[reused:])
        self._used += len(ids)
        return slots

    def _rebuild(self, number: int) -> None:
        """Forget where entries were removed, and grow if more than half of the table is really needed."""
        old = self._shards[number]
        slots, size = old.slots, len(old.table)
        shard = self._shards[number] = _Shard(2 * size if 2 * len(slots) > size else size)
        shard.filled = len(slots)
        table, mask = shard.table, shard.mask
        for slot in slots:
            (id,) = _ID_SLOT.unpack_from(self._ids, slot * _ID)
            at = hash(id) >> _SHARD_BITS & mask
            while table[at]:
                at = at + 1 & mask
            table[at] = slot
