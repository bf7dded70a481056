"""What the feed log does at start: read segments and the journal, and leave aside what is damaged."""

from array import array
from dataclasses import dataclass

from forebay.feedlog.frames import Gap, content_start, scan, torn_tail
from forebay.feedlog.logsegment import FOLDER as LOG_FOLDER
from forebay.feedlog.logsegment import SLOT_MASK, Entry, segment_name, segment_number
from forebay.feedlog.releases import FOLDER as JOURNAL_FOLDER
from forebay.feedlog.releases import KIND, journal_name, journal_number, replay, state
from forebay.feedlog.segmentbits import SegmentBits
from forebay.msgstore.disk import Disk
from forebay.msgstore.errors import FormatError
from forebay.outfeed.log.diskfiles import cut_file, read_file
from forebay.outfeed.log.logfiles import LogFiles
from forebay.outfeed.log.ownership import GroupNames, Ownership
from forebay.outfeed.log.ownershipjournal import OwnershipJournal
from forebay.outfeed.log.peernumbers import NAME as PEERS_NAME
from forebay.outfeed.log.peernumbers import PeerNumbers

CLEAN = "clean"
"""Name of the file that says that the log was closed."""


@dataclass(slots=True)
class Recovered:
    """The log as it was found."""

    files: LogFiles
    ownership: Ownership
    journal: OwnershipJournal
    peers: PeerNumbers
    next_number: int
    """Of the segment to append to: numbers, and so seqs, are never given twice, whatever the disk has lost."""
    was_clean: bool


def recover(disk: Disk) -> Recovered:
    """Read everything. What an unfinished append left behind is cut off; other damage is told of in `files.damage`.

    Raises `FormatError` when a file is of a newer release, or when it is not known whose the bits are.
    """
    was_clean = _take_mark(disk)
    _prepare(disk, LOG_FOLDER)
    _prepare(disk, JOURNAL_FOLDER)
    files = LogFiles(disk)
    ownership = Ownership()
    numbers = sorted(number for name in disk.names(LOG_FOLDER) if (number := segment_number(name)) is not None)
    for number in numbers:
        may_be_torn = number == numbers[-1] and not was_clean
        ownership.segments[number] = _load(disk, files, number, ownership.groups, may_be_torn=may_be_torn)
    journal = _recover_journal(disk, ownership, files, was_clean=was_clean)
    peers = _recover_peers(disk, ownership)
    ownership.touched.update(ownership.segments)
    if _clear_strays(ownership, set(peers.items().values())):
        journal.replace(state(list(ownership.segments.values()), ownership.checkpoints))
    next_number = numbers[-1] + 1 if numbers else 0
    return Recovered(files, ownership, journal, peers, next_number, was_clean)


def leave_mark(disk: Disk) -> None:
    """Say that the log was closed and all of it is on disk."""
    disk.create(CLEAN).close()
    disk.sync_folder()


def _take_mark(disk: Disk) -> bool:
    if not disk.exists(CLEAN):
        return False
    disk.unlink(CLEAN)
    disk.sync_folder()
    return True


def _prepare(disk: Disk, folder: str) -> None:
    disk.make_folder(folder)
    for name in disk.names(folder):
        if name.endswith(".new"):
            disk.unlink(f"{folder}/{name}")


def _load(disk: Disk, files: LogFiles, number: int, groups: GroupNames, *, may_be_torn: bool) -> SegmentBits:
    entries, data, gaps = files.load(number)
    name = segment_name(number)
    files.indexes[number].size = _settle_damage(disk, name, data, gaps, files, may_be_torn=may_be_torn)
    return _bits(number, entries, groups)


def _settle_damage(disk: Disk, name: str, data: bytes, gaps: list[Gap], files: LogFiles, *, may_be_torn: bool) -> int:
    """Cut a torn tail off, tell of all other gaps; returns the size of the file."""
    size = len(data)
    tail = torn_tail(data, gaps) if may_be_torn else None
    if tail is not None:
        cut_file(disk, name, tail)
        gaps.pop()
        size = tail
    files.note(name, gaps)
    return size


def _bits(number: int, entries: list[Entry], groups: GroupNames) -> SegmentBits:
    slots = [entry.seq & SLOT_MASK for entry in entries]
    width = max((len(entry.peers) for entry in entries), default=1)
    bits = b"".join([entry.peers.ljust(width, b"\0") for entry in entries])
    names = array("H", [groups.number(entry.group) for entry in entries])
    dense = slots == list(range(len(slots)))
    return SegmentBits(number, range(len(slots)) if dense else array("H", slots), bits, width, names)


def _recover_journal(disk: Disk, ownership: Ownership, files: LogFiles, *, was_clean: bool) -> OwnershipJournal:
    numbers = sorted(number for name in disk.names(JOURNAL_FOLDER) if (number := journal_number(name)) is not None)
    if not numbers:
        return OwnershipJournal.create(disk, 0, [])
    for number in numbers[:-1]:
        disk.unlink(journal_name(number))
    name = journal_name(numbers[-1])
    data = read_file(disk, name)
    gaps: list[Gap] = []
    for begin, end in scan(data, gaps, content_start(data, KIND, name)):
        replay(data, begin, end, ownership.segments, ownership.checkpoints)
    _settle_damage(disk, name, data, gaps, files, may_be_torn=not was_clean)
    return OwnershipJournal.open(disk, numbers[-1])


def _recover_peers(disk: Disk, ownership: Ownership) -> PeerNumbers:
    if not disk.exists(PEERS_NAME) and not all(segment.dead for segment in ownership.segments.values()):
        raise FormatError(
            f"{PEERS_NAME} is missing: restore it, or remove the folders {LOG_FOLDER} and {JOURNAL_FOLDER}"
        )
    peers = PeerNumbers.open(disk)
    for number in peers.items().values():
        ownership.checkpoints.setdefault(number, -1)
    return peers


def _clear_strays(ownership: Ownership, known: set[int]) -> bool:
    """Clear the bits of numbers that belong to no peer, which only a damaged journal leaves; tells whether any were."""
    strays = False
    for segment in ownership.segments.values():
        for peer in set(segment.peers) - known:
            if segment.count_owed(peer):
                strays = True
                segment.clear_run(peer, 0, SLOT_MASK + 1)
    for peer in ownership.checkpoints.keys() - known:
        del ownership.checkpoints[peer]
    return strays
