"""The table `references`: the bodies that peers of an outfeed still need, each with by how many, and damage of its log.

While the service runs, articles that peers are done with meanwhile may be told of or not.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from forebay.feedlog import logsegment, releases
from forebay.feedlog.frames import Gap, content_start, scan, torn_tail
from forebay.feedlog.messagekey import message_key
from forebay.feedlog.segmentbits import SegmentBits
from forebay_spark.datafolder import DataFolder
from forebay_spark.sources.facts import Facts, binaries
from forebay_spark.sources.logcolumns import LogColumns, columns_of

GROUP = 32
"""Segments of a partition at most; each has up to 16,384 articles."""
_COLUMNS = ["id", "owners", "damage"]


@dataclass(frozen=True)
class Segments:
    """Segments of the feed log that one task reads."""

    numbers: Sequence[int]
    is_first: bool
    """Also to tell of damage of the journal."""


class FeedReferences:
    """The feed log of a folder; without one the table is empty."""

    schema = "id binary, owners bigint, damage string"

    def __init__(self, folder: DataFolder) -> None:
        self._feed = folder.feed
        self._is_closed = folder.closing is not None

    def parts(self, count: int) -> list[Segments]:
        """Segments in so many parts, or in more."""
        if self._feed is None:
            return []
        numbers = _numbers(self._feed / logsegment.FOLDER, logsegment.segment_number)
        group = min(GROUP, max(len(numbers) // count, 1))
        return [Segments(numbers[first : first + group], first == 0) for first in range(0, len(numbers), group)]

    def read(self, part: Segments) -> Iterator[pa.RecordBatch]:
        """The rows of a part. Raises `FormatError` for a log of a newer release."""
        for piece in self.pieces(part):
            yield _batch(piece) if isinstance(piece, Facts) else piece

    def pieces(self, part: Segments) -> Iterator[Facts | pa.RecordBatch]:
        """The same, what there is about bodies as facts."""
        if self._feed is None:
            return
        log = _Log(self._feed, self._is_closed)
        segments = [segment for number in part.numbers if (segment := log.segment(number))]
        # The journal comes last, for it tells of releases of all that is in the segments by now, however it grows.
        told = log.replay({segment.bits.number: segment.bits for segment in segments})
        for segment in segments:
            yield _facts(segment)
        if damage := log.damage + told if part.is_first else log.damage:
            yield _damages(damage)


class _Segment(NamedTuple):
    articles: LogColumns
    bits: SegmentBits


class _Log:
    """A feed log that is read once; `damage` tells what could not be."""

    def __init__(self, feed: Path, is_closed: bool) -> None:
        self.damage: list[str] = []
        self._feed = feed
        self._is_closed = is_closed

    def segment(self, number: int) -> _Segment | None:
        """A segment as it was accepted; None when the service has deleted it."""
        name = logsegment.segment_name(number)
        try:
            data = (self._feed / name).read_bytes()
        except FileNotFoundError:
            return None
        gaps: list[Gap] = []
        start = content_start(data, logsegment.KIND, name)
        articles = columns_of(data, gaps, start)
        self.damage += self._told(name, data, gaps)
        count, width = articles.bits.shape
        slots = array("H", articles.slots.tobytes())
        bits = SegmentBits(number, slots, articles.bits.tobytes(), width, array("H", bytes(2 * count)))
        return _Segment(articles, bits)

    def replay(self, segments: dict[int, SegmentBits]) -> list[str]:
        """Clear the bits that peers have released; returns what of the journal is damaged."""
        name, data = self._journal()
        gaps: list[Gap] = []
        for begin, end in scan(data, gaps, content_start(data, releases.KIND, name)):
            releases.replay(data, begin, end, segments, {})
        return self._told(name, data, gaps)

    def _journal(self) -> tuple[str, bytes]:
        while numbers := _numbers(self._feed / releases.FOLDER, releases.journal_number):
            name = releases.journal_name(numbers[-1])
            try:
                return name, (self._feed / name).read_bytes()
            except FileNotFoundError:
                continue  # a shorter one has taken its place
        return "", b""

    def _told(self, name: str, data: bytes, gaps: list[Gap]) -> list[str]:
        """Damage in words. Until it was closed, a log may end in a write that is under way, or was cut short."""
        if not self._is_closed and torn_tail(data, gaps) is not None:
            gaps = gaps[:-1]
        return [gap.describe(f"{self._feed.name}/{name}", 0) for gap in gaps]


def _numbers(folder: Path, number: Callable[[str], int | None]) -> list[int]:
    names = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    return sorted(found for name in names if (found := number(name)) is not None)


def _facts(segment: _Segment) -> Facts:
    counts = [count for _, count in segment.bits.counts()]
    # Of most articles nobody needs the body any more: theirs are not looked for.
    ids = b"".join(map(message_key, segment.articles.message_ids(counts)))
    return Facts(np.frombuffer(ids, "V16"), {"owners": np.array(list(filter(None, counts)), np.int64)})


def _batch(facts: Facts) -> pa.RecordBatch:
    return _rows(binaries(facts.ids), pa.array(facts.columns["owners"]), pa.nulls(len(facts.ids), pa.string()))


def _damages(damage: Sequence[str]) -> pa.RecordBatch:
    count = len(damage)
    return _rows(pa.nulls(count, pa.binary()), pa.nulls(count, pa.int64()), pa.array(damage, pa.string()))


def _rows(*columns: pa.Array) -> pa.RecordBatch:
    return pa.record_batch(list(columns), _COLUMNS)
