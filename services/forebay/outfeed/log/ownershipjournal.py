"""The ownership journal: releases and checkpoints on disk, one append and one sync a flush.

    ownership/<number>.journal = header | frames
    release    = "R" | segment (8) | peer (2) | runs: first slot (2), last slot (2) each
    checkpoint = "C" | peer (2) | seq (8)

A release says that bits are clear and never that they are set, so that applying one twice, or one whose segment is
gone, does nothing. A journal that has grown is replaced by one that says the same about all live segments.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from struct import Struct, pack, unpack

from forebay.msgstore.disk import Disk, File
from forebay.msgstore.errors import StoreFailedError
from forebay.outfeed.log.diskfiles import write_fresh
from forebay.outfeed.log.frames import BODY_OFFSET, frame, header
from forebay.outfeed.log.ownership import Pending
from forebay.outfeed.log.segmentbits import SegmentBits

KIND = b"FBOJ"
FOLDER = "ownership"
MIN_GROWTH = 1 << 20
"""Octets a journal may always grow before it is replaced."""

_RELEASE = Struct(">cQH")
_CHECKPOINT = Struct(">cHQ")
_MAX_RUNS = 1 << 12
Run = tuple[int, int]


def journal_name(number: int) -> str:
    """Name of a journal's file."""
    return f"{FOLDER}/{number:010d}.journal"


def journal_number(name: str) -> int | None:
    """The opposite, for a name without its folder; None for any other file."""
    stem, dot, suffix = name.partition(".")
    return int(stem) if dot and suffix == "journal" and stem.isdigit() else None


def runs(slots: Iterable[int]) -> list[Run]:
    """Slots as (start, stop) of their runs."""
    found: list[Run] = []
    start = stop = -1
    for slot in sorted(slots):
        if slot != stop:
            found.append((start, stop))
            start = slot
        stop = slot + 1
    found.append((start, stop))
    return found[1:]


def releases(number: int, peer: int, cleared: Sequence[Run]) -> Iterator[bytes]:
    """Frames that say that these runs of a segment are released by a peer."""
    for first in range(0, len(cleared), _MAX_RUNS):
        ends = [slot for start, stop in cleared[first : first + _MAX_RUNS] for slot in (start, stop - 1)]
        yield frame(_RELEASE.pack(b"R", number, peer) + pack(f">{len(ends)}H", *ends))


def checkpoints(seqs: dict[int, int]) -> Iterator[bytes]:
    """Frames that say how far peers are."""
    return (frame(_CHECKPOINT.pack(b"C", peer, seq)) for peer, seq in seqs.items() if seq >= 0)


def changes(pending: Pending) -> list[bytes]:
    """Frames for what is to be flushed."""
    frames = list(checkpoints(pending.checkpoints))
    for (number, peer), slots in pending.releases.items():
        frames += releases(number, peer, runs(slots))
    return frames


def state(segments: Sequence[SegmentBits], seqs: dict[int, int]) -> list[bytes]:
    """Frames that say all there is to say."""
    frames = list(checkpoints(seqs))
    for segment in segments:
        for peer in segment.peers:
            frames += releases(segment.number, peer, segment.clear_runs(peer))
    return frames


def replay(data: bytes, at: int, end: int, segments: dict[int, SegmentBits], seqs: dict[int, int]) -> None:
    """Apply one frame."""
    body = data[at + BODY_OFFSET : end]
    if body[:1] == b"R":
        _, number, peer = _RELEASE.unpack_from(body)
        if segment := segments.get(number):
            ends = unpack(f">{(len(body) - _RELEASE.size) // 2}H", body[_RELEASE.size :])
            for first, last in zip(ends[::2], ends[1::2], strict=True):
                segment.clear_run(peer, first, last + 1)
    elif body[:1] == b"C":
        _, peer, seq = _CHECKPOINT.unpack(body)
        seqs[peer] = seq


class OwnershipJournal:
    """The file being appended to. Used by one thread at a time."""

    def __init__(self, disk: Disk, number: int, file: File, state_size: int) -> None:
        self._disk = disk
        self._number = number
        self._file = file
        self._state_size = state_size
        self._failed = False

    @classmethod
    def create(cls, disk: Disk, number: int, frames: Iterable[bytes]) -> "OwnershipJournal":
        """Write a journal whole, so that it is there with all its frames or not at all.

        Raises `OSError` when it is not there; `StoreFailedError` when that is not known.
        """
        name = journal_name(number)
        write_fresh(disk, f"{name}.new", [header(KIND, number), *frames])
        disk.rename(f"{name}.new", name)
        try:
            disk.sync_folder(FOLDER)
        except OSError as error:
            raise StoreFailedError(f"{FOLDER}: sync failed ({error}); restart after checking the disk") from error
        return cls.open(disk, number)

    @classmethod
    def open(cls, disk: Disk, number: int) -> "OwnershipJournal":
        """Go on with a journal that ends with a sound frame."""
        file = disk.open(journal_name(number))
        return cls(disk, number, file, file.size())

    @property
    def grown(self) -> bool:
        """It is time to replace it."""
        return self._file.size() - self._state_size > max(MIN_GROWTH, self._state_size)

    def append(self, frames: list[bytes]) -> None:
        """Make frames durable.

        Raises `OSError` when nothing was kept; `StoreFailedError` when that is not known, and ever after.
        """
        if self._failed:
            raise StoreFailedError(f"{self._file.name}: an earlier sync failed; restart after checking the disk")
        self._file.append([b"".join(frames)])
        try:
            self._file.datasync()
        except OSError as error:
            self._failed = True
            raise StoreFailedError(f"{self._file.name}: sync failed ({error}); restart after checking it") from error

    def replace(self, frames: Iterable[bytes]) -> "OwnershipJournal":
        """A new journal in the place of this one.

        Raises `OSError` when there is none and this one goes on; `StoreFailedError` when that is not known.
        """
        try:
            successor = self.create(self._disk, self._number + 1, frames)
        except StoreFailedError:
            self._failed = True
            raise
        self.close()
        with suppress(OSError):  # the next start removes it
            self._disk.unlink(self._file.name)
        return successor

    def close(self) -> None:
        """Close the file."""
        self._file.close()
