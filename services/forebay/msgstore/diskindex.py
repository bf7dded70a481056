"""The index on disk, for more messages than memory has room for: an LMDB tree by message id.

It is never synced but at a clean stop: what a crash leaves of it is thrown away and made anew from the message files,
as the index in memory is. What the page cache keeps of it is memory that the system takes back when it must.

    messages   id 16 -> place 8 | size 4 | references 4 | epoch 4; references of an older epoch count as none
    state      "mark" -> that of the clean stop; "epoch" -> 4; "files" -> for each number 8 | live octets 8 | count 8
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from struct import Struct

import lmdb

from forebay.msgstore.errors import StoreClosedError, StoreFailedError
from forebay.msgstore.index import Entry, Held, Place, Where
from forebay.msgstore.placetree import PlaceTree

PAGE = 4096
"""Entries a page."""

_VALUE = Struct("<QIII")
_EPOCH = Struct("<I")
_FILE = Struct("<QQQ")

_Found = dict[bytes, tuple[Where, int, int, int]]
"""Place, size, references and epoch by id."""


class DiskIndex:
    """A `MessageIndex` in a folder of its own, which nobody else may touch. `begin` makes it ready.

    Raises `StoreFailedError` when the disk does not do as it is told: the next start makes it anew.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: PlaceTree | None = None
        self._epoch = 0
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def begin(self, mark: bytes | None) -> dict[int, Held] | None:
        """See `MessageIndex`."""
        if mark is not None and self._folder.exists():
            with suppress(StoreFailedError):
                self._opened = PlaceTree(self._folder)
                if (held := self._take_up(mark)) is not None:
                    return held
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        self._opened = PlaceTree(self._folder)
        self._epoch = self._used = 0
        return None

    def keep(self, mark: bytes, files: dict[int, Held]) -> bool:
        """See `MessageIndex`."""
        packed = b"".join(_FILE.pack(number, *held) for number, held in files.items())

        def write(transaction: lmdb.Transaction) -> None:
            transaction.put(b"epoch", _EPOCH.pack(self._epoch), db=self._tree.state)
            transaction.put(b"files", packed, db=self._tree.state)
            transaction.put(b"mark", mark, db=self._tree.state)

        self._tree.change(write)
        self._tree.sync()
        return True

    def close(self) -> None:
        """See `MessageIndex`."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @property
    def _tree(self) -> PlaceTree:
        if self._opened is None:
            raise StoreClosedError("the index of messages is closed")
        return self._opened

    # Entries
    def find(self, ids: Sequence[bytes]) -> list[Place | None]:
        """See `MessageIndex`."""
        found = self._tree.look(lambda transaction: self._get(transaction, ids))
        entries = map(found.get, ids)
        return [entry[:2] if entry else None for entry in entries]

    def insert(self, entries: Iterable[Entry]) -> None:
        """See `MessageIndex`."""
        packed = [(id, _VALUE.pack(where, size, refs, self._epoch)) for id, where, size, refs in entries]
        if packed:
            self._tree.change(lambda transaction: self._put(transaction, packed))
            self._used += len(packed)

    def count(self, counts: Sequence[tuple[bytes, int]]) -> list[bool]:
        """See `MessageIndex`."""

        def write(transaction: lmdb.Transaction) -> list[bool]:
            found = self._get(transaction, [id for id, _ in counts])
            for id, refs in counts:
                if entry := found.get(id):
                    where, size, before, epoch = entry
                    found[id] = where, size, refs + self._counted(before, epoch), self._epoch
            self._put(transaction, _packed(found))
            return [id in found for id, _ in counts]

        return self._tree.change(write) if counts else []

    def release(self, ids: Sequence[bytes]) -> list[Place]:
        """See `MessageIndex`."""

        def write(transaction: lmdb.Transaction) -> list[Place]:
            found = self._get(transaction, ids)
            gone: dict[bytes, Place] = {}
            for id in ids:
                if entry := found.get(id):
                    where, size, before, epoch = entry
                    if (refs := self._counted(before, epoch)) > 1:
                        found[id] = where, size, refs - 1, self._epoch
                    else:
                        gone[id] = where, size
                        del found[id]
            for id in gone:
                transaction.delete(id, db=self._tree.messages)
            self._put(transaction, _packed(found))
            return list(gone.values())

        if not ids:
            return []
        released = self._tree.change(write)
        self._used -= len(released)
        return released

    def move(self, moves: Sequence[tuple[bytes, Where, Where]]) -> list[bool]:
        """See `MessageIndex`."""

        def write(transaction: lmdb.Transaction) -> list[bool]:
            found = self._get(transaction, [id for id, _, _ in moves])
            moved: _Found = {}
            done: list[bool] = []
            for id, old, new in moves:
                entry = moved.get(id) or found.get(id)
                done.append(entry is not None and entry[0] == old)
                if entry is not None and done[-1]:
                    moved[id] = (new, *entry[1:])
            self._put(transaction, _packed(moved))
            return done

        return self._tree.change(write) if moves else []

    def delete_object(self, id: bytes, old: Where) -> int | None:
        """See `MessageIndex`."""

        def write(transaction: lmdb.Transaction) -> int | None:
            entry = self._get(transaction, [id]).get(id)
            if entry is None or entry[0] != old:
                return None
            transaction.delete(id, db=self._tree.messages)
            return entry[1]

        size = self._tree.change(write)
        self._used -= size is not None
        return size

    def forget_counts(self) -> None:
        """See `MessageIndex`; costs the same however many there are."""
        self._epoch += 1

    def unowned(self) -> Iterator[list[bytes]]:
        """See `MessageIndex`."""
        return ([entry.id for entry in page if not entry.refs] for page in self.pages())

    def pages(self) -> Iterator[list[Entry]]:
        """See `MessageIndex`; in the order of the ids."""
        start = b""
        while page := self._tree.look(partial(self._page, start)):
            yield page
            start = page[-1].id + b"\0"

    def _page(self, start: bytes, transaction: lmdb.Transaction) -> list[Entry]:
        cursor = transaction.cursor(self._tree.messages)
        if not cursor.set_range(start):
            return []
        page: list[Entry] = []
        for id, value in islice(cursor.iternext(), PAGE):
            where, size, refs, epoch = _VALUE.unpack(value)
            page.append(Entry(bytes(id), where, size, self._counted(refs, epoch)))
        return page

    def _counted(self, refs: int, epoch: int) -> int:
        return refs if epoch == self._epoch else 0

    def _get(self, transaction: lmdb.Transaction, ids: Sequence[bytes]) -> _Found:
        unpack = _VALUE.unpack
        return {bytes(id): unpack(value) for id, value in transaction.cursor(self._tree.messages).getmulti(ids)}

    def _put(self, transaction: lmdb.Transaction, packed: list[tuple[bytes, bytes]]) -> None:
        # Ids of one time are neighbours in the tree: in their order each of its pages is touched once.
        packed.sort()
        transaction.cursor(self._tree.messages).putmulti(packed)

    # The state of a clean stop
    def _take_up(self, mark: bytes) -> dict[int, Held] | None:
        def read(transaction: lmdb.Transaction) -> tuple[bytes, ...]:
            return tuple(
                bytes(transaction.pop(key, db=self._tree.state) or b"") for key in (b"mark", b"epoch", b"files")
            )

        kept, epoch, files = self._tree.change(read)
        if kept != mark:
            return None
        (self._epoch,) = _EPOCH.unpack(epoch)
        self._used = self._tree.look(lambda transaction: transaction.stat(self._tree.messages)["entries"])
        return {number: Held(live, count) for number, live, count in _FILE.iter_unpack(files)}


def _packed(entries: _Found) -> list[tuple[bytes, bytes]]:
    return [(id, _VALUE.pack(*entry)) for id, entry in entries.items()]
