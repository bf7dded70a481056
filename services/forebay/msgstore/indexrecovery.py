"""The start of a queue index: its files read once, in the order in which they were written."""

from array import array
from collections.abc import Iterable

from forebay.msgstore.entrybatch import batches_of
from forebay.msgstore.indexfile import IndexFolder, Kind, Record
from forebay.msgstore.queuemarks import QueueMarks
from forebay.msgstore.queuerecord import (
    ACKNOWLEDGE,
    DELIVER,
    MARK,
    PUBLISH,
    QueueEntry,
    decode_acknowledge,
    decode_deliver,
    decode_publish,
    decode_publish_head,
    encode_heads,
)
from forebay.msgstore.record import Codec
from forebay.msgstore.report import RecoveryReport
from forebay.msgstore.segment import ENTRIES, Journaled, Segment, parts


class IndexRecovery:
    """Fills segments and marks with what the files say."""

    def __init__(self, files: IndexFolder, codec: Codec, segments: dict[int, Segment], marks: QueueMarks) -> None:
        self._files = files
        self._codec = codec
        self._segments = segments
        self._marks = marks
        self._sizes: dict[int, array[int]] = {}

    def run(self, report: RecoveryReport) -> list[int]:
        """Read all; the numbers of the journals."""
        journals: list[int] = []
        for file in self._files.found:
            if file.kind is Kind.SEGMENT:
                self._segment(file.number).filed = True
                self._replay_segment(self._files.recover(file, report))
        for file in self._files.found:
            if file.kind is Kind.JOURNAL:
                journals.append(file.number)
                self._replay_journal(record for record, _ in self._files.recover(file, report))
        return journals

    def octets(self) -> int:
        """Octets of all messages that are there."""
        octets = 0
        for number, sizes in self._sizes.items():
            for seqs in self._segments[number].holding(range(number * ENTRIES, (number + 1) * ENTRIES)):
                octets += sum(sizes[seqs.start % ENTRIES : seqs.start % ENTRIES + len(seqs)])
        return octets

    def _segment(self, number: int) -> Segment:
        segment = self._segments.get(number)
        if segment is None:
            segment = self._segments[number] = Segment(number)
            self._sizes[number] = array("I", bytes(4 * ENTRIES))
        return segment

    def _replay_segment(self, records: Iterable[tuple[Record, int]]) -> None:
        for record, offset in records:
            if record.kind == PUBLISH:
                seq = record.stamp
                persistent, size, expiry = decode_publish_head(record.body)
                segment = self._segment(seq // ENTRIES)
                segment.restore(seq, offset, expiry)
                self._sizes[segment.number][seq % ENTRIES] = size
                if not persistent:
                    segment.acknowledge(range(seq, seq + 1))
            else:
                self._replay_other(record, saved=True)

    def _replay_journal(self, records: Iterable[Record]) -> None:
        """Entries that follow each other are published together."""
        gathered: list[QueueEntry] = []
        for record in records:
            if record.kind == PUBLISH:
                gathered.append(decode_publish(record.stamp, record.id, record.body))
                self._marks.published(record.stamp)
                continue
            self._publish(gathered)
            gathered = []
            self._replay_other(record, saved=False)
        self._publish(gathered)

    def _publish(self, entries: list[QueueEntry]) -> None:
        for batch in batches_of(entries):
            first, ids, sizes, expiries, bodies, persistent, _ = batch
            heads = encode_heads(self._codec, first, ids, sizes, expiries, bodies, persistent=persistent)
            journaled = Journaled(batch, heads)
            for seqs in parts(batch.seqs):
                segment = self._segment(seqs.start // ENTRIES)
                start, stop = seqs.start - first, seqs.stop - first
                segment.publish(journaled.part(start, stop))
                place = seqs.start % ENTRIES
                self._sizes[segment.number][place : place + len(seqs)] = sizes[start:stop]
                if not persistent:
                    segment.acknowledge(seqs)

    def _replay_other(self, record: Record, *, saved: bool) -> None:
        if record.kind == MARK:
            self._marks.restore(record.body, record.stamp)
        elif record.kind == DELIVER:
            seqs, times = decode_deliver(record.stamp, record.body)
            for segment, part in self._known(seqs):
                segment.deliver(part, times, saved=saved)
        elif record.kind == ACKNOWLEDGE:
            for segment, part in self._known(decode_acknowledge(record.stamp, record.body)):
                segment.acknowledge(part, saved=saved)

    def _known(self, seqs: range) -> Iterable[tuple[Segment, range]]:
        for part in parts(seqs):
            if segment := self._segments.get(part.start // ENTRIES):
                yield segment, part
