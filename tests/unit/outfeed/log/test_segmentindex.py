import pytest

from feedlogs import records
from forebay.feedlog.logsegment import Entry, encode, entries
from forebay.outfeed.log.segmentindex import SegmentIndex


def decoded(data: bytes, start: int = 0) -> list[Entry]:
    return [entry for _, _, entry in entries(data, [], start)]


@pytest.mark.parametrize("batch", [1, 7, 256, 1000])
def test_the_index_finds_a_piece_that_holds_the_slots(batch: int):
    index, data = SegmentIndex(), b"head"
    for first in range(0, 1000, batch):
        encoded = encode(records(first, min(batch, 1000 - first)), first)
        index.add(range(first, first + batch), encoded.starts, len(data), len(data) + len(encoded.data))
        data += encoded.data
    for first, last in [(0, 0), (0, 999), (255, 256), (500, 520), (999, 999)]:
        begin, end = index.span(first, last)
        seqs = [entry.seq for entry in decoded(data[begin:end])]
        assert seqs[0] <= first
        assert last <= seqs[-1] < last + 257


def test_the_index_of_a_compacted_segment_goes_by_slot():
    index = SegmentIndex()
    encoded = encode(records(0, 600), 0)
    index.add(range(0, 6000, 10), encoded.starts, 0, len(encoded.data))
    begin, end = index.span(5120, 5120)
    assert 5120 // 10 in [entry.seq for entry in decoded(encoded.data[begin:end])]
