"""The index in memory: open addressing over slabs of machine integers, about 45 octets a message."""

from array import array
from collections.abc import Iterable, Iterator, Sequence

from forebay.msgstore.index import Entry, Place, Where

SHARDS = 256
"""Each grows on its own, so that growing never stops anyone for more than about a millisecond."""

_SHARD_MASK = SHARDS - 1
_SHARD_BITS = 8
_FIRST_TABLE = 16
_ID = 16


class _Shard:
    """A table of slot numbers, and the slots' fields in parallel arrays. Slot 0 means empty.

    The hash is Python's own for octets: keyed by a secret of the process, so nobody can choose ids that collide.
    """

    __slots__ = ("free", "ids", "mask", "refs", "sizes", "table", "used", "wheres")

    def __init__(self) -> None:
        self.table = array("I", bytes(4 * _FIRST_TABLE))
        self.mask = _FIRST_TABLE - 1
        self.ids = bytearray(_ID)
        self.wheres = array("Q", [0])
        self.sizes = array("I", [0])
        self.refs = array("I", [0])
        self.free = 0
        self.used = 0

    def position(self, id: bytes, hashed: int) -> int:
        """Index into the table of the id's slot, or of the empty place where the search for it ended."""
        table, mask, ids = self.table, self.mask, self.ids
        at = hashed >> _SHARD_BITS & mask
        while slot := table[at]:
            first = slot * _ID
            if ids[first : first + _ID] == id:
                break
            at = at + 1 & mask
        return at

    def add(self, entry: Entry, hashed: int) -> None:
        """Add an entry that is not there."""
        id, where, size, refs = entry
        if (self.used + 1) * 3 > len(self.table) * 2:
            self._grow()
        table, mask = self.table, self.mask
        at = hashed >> _SHARD_BITS & mask
        while table[at]:
            at = at + 1 & mask
        self.used += 1
        if slot := self.free:
            self.free = self.wheres[slot]
            self.ids[slot * _ID : slot * _ID + _ID] = id
            self.wheres[slot], self.sizes[slot], self.refs[slot] = where, size, refs
            table[at] = slot
        else:
            table[at] = len(self.sizes)
            self.ids += id
            self.wheres.append(where)
            self.sizes.append(size)
            self.refs.append(refs)

    def drop(self, at: int) -> None:
        """Empty a place of the table and close the gap, so that no later search ends there too early."""
        table, mask = self.table, self.mask
        slot = table[at]
        self.wheres[slot], self.free = self.free, slot
        self.used -= 1
        gap = at
        while True:
            at = at + 1 & mask
            slot = table[at]
            if not slot:
                break
            home = hash(self.id(slot)) >> _SHARD_BITS & mask
            if at - home & mask >= at - gap & mask:
                table[gap] = slot
                gap = at
        table[gap] = 0

    def id(self, slot: int) -> bytes:
        """The id in a slot."""
        return bytes(self.ids[slot * _ID : slot * _ID + _ID])

    def entries(self) -> list[Entry]:
        """All entries of the shard."""
        return [
            Entry(self.id(slot), self.wheres[slot], self.sizes[slot], self.refs[slot]) for slot in self.table if slot
        ]

    def _grow(self) -> None:
        old = self.table
        self.table = table = array("I", bytes(8 * len(old)))
        self.mask = mask = len(table) - 1
        for slot in old:
            if slot:
                at = hash(self.id(slot)) >> _SHARD_BITS & mask
                while table[at]:
                    at = at + 1 & mask
                table[at] = slot


class SlabIndex:
    """A `MessageIndex` in memory."""

    def __init__(self) -> None:
        self._shards = [_Shard() for _ in range(SHARDS)]

    def __len__(self) -> int:
        return sum(shard.used for shard in self._shards)

    def find(self, ids: Sequence[bytes]) -> list[Place | None]:
        """Place of each id; the search of `_Shard.position` stands here once more, for a call an id would double it."""
        shards = self._shards
        found: list[Place | None] = []
        for id in ids:
            hashed = hash(id)
            shard = shards[hashed & _SHARD_MASK]
            table, mask, known = shard.table, shard.mask, shard.ids
            at = hashed >> _SHARD_BITS & mask
            while slot := table[at]:
                first = slot * _ID
                if known[first : first + _ID] == id:
                    found.append((shard.wheres[slot], shard.sizes[slot]))
                    break
                at = at + 1 & mask
            else:
                found.append(None)
        return found

    def insert(self, entries: Iterable[Entry]) -> None:
        """Add entries whose ids are not there yet."""
        shards = self._shards
        for entry in entries:
            hashed = hash(entry.id)
            shards[hashed & _SHARD_MASK].add(entry, hashed)

    def count(self, id: bytes, refs: int) -> bool:
        """Add references; False when the id is not there."""
        shard, at = self._seek(id)
        slot = shard.table[at]
        if slot:
            shard.refs[slot] += refs
        return bool(slot)

    def release(self, ids: Iterable[bytes]) -> list[Place]:
        """Take one reference from each, and delete what had its last one."""
        gone: list[Place] = []
        for id in ids:
            shard, at = self._seek(id)
            slot = shard.table[at]
            if not slot:
                continue
            refs = shard.refs[slot]
            if refs > 1:
                shard.refs[slot] = refs - 1
            else:
                gone.append((shard.wheres[slot], shard.sizes[slot]))
                shard.drop(at)
        return gone

    def move(self, id: bytes, old: Where, new: Where) -> bool:
        """Change the place, only if it still is `old`."""
        shard, at = self._seek(id)
        slot = shard.table[at]
        if not slot or shard.wheres[slot] != old:
            return False
        shard.wheres[slot] = new
        return True

    def delete_object(self, id: bytes, old: Where) -> int | None:
        """Delete, only if the place still is `old`."""
        shard, at = self._seek(id)
        slot = shard.table[at]
        if not slot or shard.wheres[slot] != old:
            return None
        shard.drop(at)
        return shard.sizes[slot]

    def forget_counts(self) -> None:
        """Set every reference count to zero."""
        for shard in self._shards:
            shard.refs = array("I", bytes(4 * len(shard.refs)))

    def pages(self) -> Iterator[list[Entry]]:
        """All entries, a shard a page."""
        return (shard.entries() for shard in self._shards)

    def _seek(self, id: bytes) -> tuple[_Shard, int]:
        hashed = hash(id)
        shard = self._shards[hashed & _SHARD_MASK]
        return shard, shard.position(id, hashed)
