"""What a store does when it is opened: take the snapshot of a clean stop, or read every message file."""

import logging
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from time import perf_counter

from forebay.msgstore import snapshot
from forebay.msgstore.catalogue import Catalogue
from forebay.msgstore.collector import breathe
from forebay.msgstore.disk import Disk, File
from forebay.msgstore.index import OFFSET_BITS, OFFSET_MASK, Entry, Held, Place, where
from forebay.msgstore.messagefile import MessageFile
from forebay.msgstore.record import (
    FILE_HEAD_SIZE,
    HEAD_SIZE,
    RECORD,
    Codec,
    FileHead,
    decode_file_head,
    new_marker,
)
from forebay.msgstore.report import RecoveryReport
from forebay.msgstore.scan import Damage, Found, Scanner, guess_marker
from forebay.msgstore.writer import file_name
from forebay.runtime.collection import collection_paused

_make_entry: Callable[[tuple[bytes, int, int, int]], Entry] = partial(tuple.__new__, Entry)
"""As `Entry._make`, in half the time: it is called for every message of a store."""

_NAME = re.compile(r"(\d{10})\.messages")

log = logging.getLogger(__name__)


def snapshot_name(folder: str) -> str:
    """Name of the index snapshot of a clean stop."""
    return f"{folder}/index.snapshot"


def kept_name(folder: str) -> str:
    """Name of the snapshot without entries that a clean stop leaves beside an index that keeps them itself."""
    return f"{folder}/index.kept"


@dataclass
class Recovered:
    """A store's state after its start."""

    codec: Codec
    stamp: int
    """Of the next record."""
    current: MessageFile | None
    """A file that may be appended to."""


class Recovery:
    """One start of one store: fills an empty catalogue."""

    def __init__(self, disk: Disk, folder: str, catalogue: Catalogue) -> None:
        self.report = RecoveryReport()
        self._disk = disk
        self._folder = folder
        self._catalogue = catalogue
        self._stamp = 0

    def run(self, file_size: int) -> Recovered:
        """Recover; blocks. file_size: a last file shorter than this is appended to after a clean stop.

        Raises `FormatError` when the files are of a newer release, and `OSError` when the disk can't be read at all.
        """
        begun = perf_counter()
        with collection_paused():
            heads = self._add_files()
            recovered = self._take_up(file_size) or self._read_all(heads)
        catalogue, report = self._catalogue, self.report
        catalogue.stats.damaged = report.damaged
        report.files, report.messages = len(heads), len(catalogue.index)
        report.octets = sum(file.size for file in catalogue.files.values())
        report.seconds = perf_counter() - begun
        if recovered.current is not None:
            catalogue.reopen(recovered.current)
        catalogue.seal([file for file in catalogue.files.values() if file is not recovered.current])
        return recovered

    def _add_files(self) -> dict[int, FileHead | None]:
        heads: dict[int, FileHead | None] = {}
        for name in self._disk.names(self._folder):
            if match := _NAME.fullmatch(name):
                number = int(match[1])
                file = MessageFile(number, file_name(self._folder, number))
                handle = self._disk.open(file.name)
                file.size = max(handle.size(), FILE_HEAD_SIZE)
                file.sealed = True
                self._catalogue.add_file(file, handle)
                heads[number] = _head(handle)
        return heads

    def _fits(self, saved: snapshot.Snapshot) -> bool:
        """Whether the snapshot tells of the files that are there; those it misses are named."""
        files = self._catalogue.files
        lost = saved.files.keys() - files.keys()
        self.report.missing_files = [file_name(self._folder, number) for number in sorted(lost)]
        for name in self.report.missing_files:
            log.error("message file %s is missing", name)
        return saved.files == {number: file.size for number, file in files.items()}

    def _take_up(self, file_size: int) -> Recovered | None:
        """Go on where a clean stop ended; None after any other."""
        index = self._catalogue.index
        saved, kept = (self._saved(name(self._folder)) for name in (snapshot_name, kept_name))
        held = index.begin(kept.mark if kept else None)
        if kept is not None and held is not None:
            self._add_held(held)
            return self._goes_on(kept, file_size)
        if saved is not None:
            self._insert(saved)
            return self._goes_on(saved, file_size)
        return None

    def _saved(self, name: str) -> snapshot.Snapshot | None:
        saved = snapshot.take(self._disk, name)
        return saved if saved is not None and self._fits(saved) else None

    def _add_held(self, held: dict[int, Held]) -> None:
        for number, (live, count) in held.items():
            self._catalogue.files[number].add_live(live, count)

    def _insert(self, saved: snapshot.Snapshot) -> None:
        files = self._catalogue.files
        for chunk in saved.chunks():
            self._catalogue.index.insert(chunk)
            for _, place, size, _ in chunk:
                files[place >> OFFSET_BITS].add_live(size + HEAD_SIZE)

    def _goes_on(self, saved: snapshot.Snapshot, file_size: int) -> Recovered:
        files = self._catalogue.files
        self.report.clean = True
        last = files[max(files)] if files else None
        current = last if last is not None and last.size < file_size else None
        return Recovered(Codec(saved.marker), saved.stamp, current)

    def _read_all(self, heads: dict[int, FileHead | None]) -> Recovered:
        """The slow way. The files are synced, for what a killed process left in the page cache counts from now on."""
        codec = Codec(self._marker(heads))
        for number, file in sorted(self._catalogue.files.items()):
            self._catalogue.pin_files([file])
            try:
                self._read_file(file, heads[number], codec)
                file.opened.datasync()
            finally:
                self._catalogue.unpin([file])
        self._disk.sync_folder(self._folder)
        return Recovered(codec, self._stamp + 1, None)

    def _read_file(self, file: MessageFile, head: FileHead | None, codec: Codec) -> None:
        handle = file.opened
        if head is None and handle.size():
            size = min(FILE_HEAD_SIZE, handle.size())
            self.report.add([Damage(file.name, 0, size, "", torn=handle.size() <= FILE_HEAD_SIZE)])
        scanner = Scanner(handle, codec)
        for block in scanner.blocks(breathe):
            self._enter(file, block)
        self.report.add(scanner.damages)

    def _enter(self, file: MessageFile, block: list[Found]) -> None:
        if not block:
            return
        _, _, stamps, ids, _ = zip(*block, strict=True)
        self._stamp = max(self._stamp, *stamps)
        places = self._catalogue.index.find(ids)
        fresh = block
        if len(set(ids)) < len(ids) or places.count(None) < len(ids):
            fresh = self._fresh(block, dict(zip(ids, places, strict=True)))
        if fresh:
            self._insert_found(file, fresh)

    def _fresh(self, block: list[Found], places: dict[bytes, Place | None]) -> list[Found]:
        """Of these the newest of each id, unless a newer one was found before."""
        # Of two records with one id in one file the later is the newer: a copy has only one of each id.
        newest = {found.id: found for found in block}
        return [found for id, found in newest.items() if (place := places[id]) is None or self._displace(found, *place)]

    def _insert_found(self, file: MessageFile, fresh: list[Found]) -> None:
        offsets, sizes, _, ids, _ = zip(*fresh, strict=True)
        wheres = map(where(file.number, 0).__add__, offsets)
        self._catalogue.index.insert(map(_make_entry, zip(ids, wheres, sizes, repeat(0), strict=False)))
        file.add_live(sum(sizes) + HEAD_SIZE * len(fresh), len(fresh))

    def _displace(self, found: Found, place: int, size: int) -> bool:
        """Of two records with one id the later put counts; the other, or a copy of it, is garbage."""
        rival = self._catalogue.files[place >> OFFSET_BITS]
        self._catalogue.pin_files([rival])
        try:
            head = rival.opened.pread(HEAD_SIZE, place & OFFSET_MASK)
        finally:
            self._catalogue.unpin([rival])
        if RECORD.unpack(head)[5] >= found.stamp:
            return False
        self._catalogue.index.delete_object(found.id, place)
        rival.drop_live(size + HEAD_SIZE)
        return True

    def _marker(self, heads: dict[int, FileHead | None]) -> bytes:
        """The marker most file heads carry; without any whole head, what the first record begins with."""
        known = Counter(head.marker for head in heads.values() if head)
        if known:
            return known.most_common(1)[0][0]
        for number in heads:
            file = self._catalogue.files[number]
            self._catalogue.pin_files([file])
            try:
                if marker := guess_marker(file.opened):
                    return marker
            finally:
                self._catalogue.unpin([file])
        return new_marker()


def _head(handle: File) -> FileHead | None:
    try:
        return decode_file_head(handle.pread(FILE_HEAD_SIZE, 0), handle.name)
    except OSError:
        return None
