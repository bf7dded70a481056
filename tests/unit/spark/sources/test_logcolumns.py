"""A segment in columns says what reading it record by record does."""

import random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from forebay.feedlog.logsegment import SLOT_MASK, LogRecord, encode, entries
from forebay_spark.sources.logcolumns import columns_of

if TYPE_CHECKING:
    from forebay.feedlog.frames import Gap

RECORDS = st.lists(
    st.builds(
        LogRecord,
        st.binary(min_size=1, max_size=250),
        st.integers(0, 2**63),
        st.integers(0, 2**32 - 1),
        st.binary(max_size=40),
        st.integers(0, 2**40),
    ),
    min_size=1,
    max_size=20,
)


@given(st.lists(RECORDS, max_size=4), st.integers(0, 2**40), st.none() | st.integers(0, 2**32))
def test_columns_hold_what_a_plain_reading_finds(batches: list[list[LogRecord]], seq: int, damage: int | None):
    data = bytearray()
    for batch in batches:
        data += encode(batch, seq).data
        seq += len(batch)
    if damage is not None and data:
        data[random.Random(damage).randrange(len(data))] ^= 0xFF
    gaps: list[Gap] = []
    known: list[Gap] = []
    found = columns_of(bytes(data), gaps, 0)
    expected = [entry for _, _, entry in entries(bytes(data), known, 0)]
    assert gaps == known
    assert found.slots.tolist() == [entry.seq & SLOT_MASK for entry in expected]
    assert list(found.message_ids([1] * len(expected))) == [entry.message_id for entry in expected]
    assert [bytes(row).rstrip(b"\0") for row in found.bits] == [entry.peers.rstrip(b"\0") for entry in expected]


def test_only_wanted_message_ids_are_cut_out():
    data = encode([LogRecord(name, 0, 1, b"", 1) for name in (b"<a>", b"<b>", b"<c>")], 5).data
    assert list(columns_of(data, [], 0).message_ids([1, 0, 2])) == [b"<a>", b"<c>"]
