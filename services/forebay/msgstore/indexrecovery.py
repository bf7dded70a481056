"""The start of a queue index: its files read once, in the order in which they were written."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from forebay.msgstore.entrybatch import batches_of
from forebay.msgstore.indexfile import IndexFolder, Kind
from forebay.msgstore.queuemarks import QueueMarks
from forebay.msgstore.queuerecord import (
    ACKNOWLEDGE,
    DELIVER,
    EMBEDDED,
    HORIZON,
    MARK,
    PERSISTENT,
    PUBLISH,
    PUBLISH_HEAD,
    QueueEntry,
    decode_acknowledge,
    decode_deliver,
    decode_publish,
    encode_heads,
    ranges,
)
from forebay.msgstore.report import RecoveryReport
from forebay.msgstore.scan import Found, Scanner
from forebay.msgstore.segment import Journaled, number_of, parts, seqs_of
from forebay.msgstore.segmenttable import SegmentTable
from forebay.runtime.collection import collection_paused


class IndexRecovery:
    """Fills segments and marks with what the files say."""

    def __init__(self, files: IndexFolder, table: SegmentTable, marks: QueueMarks) -> None:
        self._files = files
        self._table = table
        self._marks = marks
        self._horizon = 0
        self._sizes: dict[int, array[int]] = defaultdict(lambda: array("I", bytes(4 * len(seqs_of(0)))))

    def run(self, report: RecoveryReport) -> list[int]:
        """Read all; the numbers of the journals, ascending."""
        with collection_paused():
            return self._read(report)

    def _read(self, report: RecoveryReport) -> list[int]:
        journals: list[int] = []
        for file in self._files.found:
            if file.kind is Kind.SEGMENT:
                self._table.segment(file.number).filed = True
                for scanner, block in self._files.recover(file, report):
                    self._replay_segment(scanner, block)
        for file in self._files.found:
            if file.kind is Kind.JOURNAL:
                journals.append(file.number)
                self._replay_journal(self._files.recover(file, report))
        return journals

    def next_seq(self) -> int:
        """The number behind all that were ever used."""
        return max(self._horizon, self._table.highest() + 1)

    def octets(self) -> int:
        """Octets of all messages that are there."""
        octets = 0
        for number, sizes in self._sizes.items():
            start = seqs_of(number).start
            for seqs in self._table.holding(seqs_of(number)):
                octets += sum(sizes[seqs.start - start : seqs.stop - start])
        return octets

    # Segments
    def _replay_segment(self, scanner: Scanner, block: Sequence[Found]) -> None:
        for stretch in _stretches(block):
            if stretch[0].kind == PUBLISH:
                self._restore(scanner, stretch)
            else:
                self._replay_other(stretch[0], scanner.body(stretch[0]), saved=True)

    def _restore(self, scanner: Scanner, stretch: Sequence[Found]) -> None:
        """Messages of one segment with consecutive numbers; as columns, for there may be millions."""
        flags, sizes, expiries = zip(*scanner.starts(stretch, PUBLISH_HEAD), strict=True)
        first = stretch[0].stamp
        segment = self._table.segment(number_of(first))
        offsets = array("I", [found.offset for found in stretch])
        segment.restore(first, offsets, array("Q", expiries) if any(expiries) else None)
        self._note_sizes(first, array("I", sizes))
        segment.stored |= not all(flag & EMBEDDED for flag in flags)
        for gone in ranges(seq for seq, flag in enumerate(flags, first) if not flag & PERSISTENT):
            segment.acknowledge(gone)

    # Journals
    def _replay_journal(self, blocks: Iterable[tuple[Scanner, Sequence[Found]]]) -> None:
        """Entries that follow each other are published together."""
        gathered: list[QueueEntry] = []
        for scanner, block in blocks:
            for found in block:
                if found.kind == PUBLISH:
                    gathered.append(decode_publish(found.stamp, found.id, scanner.body(found)))
                    self._marks.published(found.stamp)
                    continue
                self._publish(gathered)
                gathered = []
                self._replay_other(found, scanner.body(found), saved=False)
        self._publish(gathered)

    def _publish(self, entries: list[QueueEntry]) -> None:
        for batch in batches_of(entries):
            first, ids, sizes, expiries, bodies, persistent, _ = batch
            heads = encode_heads(self._files.codec, first, ids, sizes, expiries, bodies, persistent=persistent)
            self._table.publish(Journaled(batch, heads))
            for seqs in parts(batch.seqs):
                self._note_sizes(seqs.start, sizes[seqs.start - first : seqs.stop - first])
            if not persistent:
                self._table.acknowledge(batch.seqs)

    def _replay_other(self, found: Found, body: bytes, *, saved: bool) -> None:
        if found.kind == MARK:
            self._marks.restore(body, found.stamp)
        elif found.kind == HORIZON:
            self._horizon = max(self._horizon, found.stamp)
        elif found.kind == DELIVER:
            seqs, times = decode_deliver(found.stamp, body)
            self._table.deliver(seqs, times, saved=saved)
        elif found.kind == ACKNOWLEDGE:
            self._table.acknowledge(decode_acknowledge(found.stamp, body), saved=saved)

    def _note_sizes(self, first: int, sizes: "array[int]") -> None:
        """Of consecutive messages of one segment."""
        number = number_of(first)
        place = first - seqs_of(number).start
        self._sizes[number][place : place + len(sizes)] = sizes


def _stretches(block: Sequence[Found]) -> Iterator[Sequence[Found]]:
    """Published messages with consecutive numbers of one segment together, each other record alone."""
    start, following = 0, -1
    for at, found in enumerate(block):
        seq = found.stamp
        if found.kind != PUBLISH or seq != following:
            if at:
                yield block[start:at]
            start = at
        published = found.kind == PUBLISH
        following = seq + 1 if published and number_of(seq) == number_of(seq + 1) else -1
    if block:
        yield block[start:]
