from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import BinaryType, LongType, StringType, StructType

from forebay.spill.compactionplan import Input
from forebay.spill.keys import Kind
from forebay_spark.errors import OptionError
from forebay_spark.sources.spill import LAST, SpillSource, ranges

WRITTEN = (
    StructType()
    .add("kind", StringType())
    .add("appended", LongType())
    .add("entry", BinaryType())
    .add("reason", StringType())
)
PLACE = {"url": "redis://127.0.0.1", "service": "outfeed", "uid": "uid"}


def segment(entries: int, first: int, last: int) -> Input:
    return Input(Kind.BACKLOG, 1, "stream", entries, 0, 0, b"%d-0" % first, b"%d-9" % last)


def source(**options: str) -> SpillSource:
    return SpillSource(CaseInsensitiveDict({**PLACE, **options}))


@given(st.integers(1, 10_000), st.integers(0, 10**13), st.integers(0, 10_000), st.integers(1, 3000))
def test_ranges_follow_each_other_without_gap(entries: int, first: int, length: int, most: int) -> None:
    found = ranges(segment(entries, first, first + length), most)
    assert found[0][0] is None
    assert found[-1][1] is None
    assert all(before[1] == after[0] for before, after in pairwise(found))
    assert len({after for after, _ in found}) == len(found) <= -(-entries // most)


def test_a_long_segment_is_cut_by_time() -> None:
    ends = [until for _, until in ranges(segment(4000, 1000, 2000), 1000)]
    assert ends == [*(b"%d-%d" % (cut, LAST) for cut in (1250, 1500, 1750)), None]


def test_an_empty_segment_is_one_range() -> None:
    assert ranges(Input(Kind.BACKLOG, 1, "stream", 0, 0, 0, b"", b""), 10) == [(None, None)]


def test_unknown_columns_are_refused() -> None:
    with pytest.raises(OptionError, match="colour"):
        source().reader(StructType().add("entry", BinaryType()).add("colour", StringType()))


def test_writing_needs_the_plan_that_is_carried_out() -> None:
    with pytest.raises(OptionError, match="plan, rotateBytes"):
        source().writer(WRITTEN, overwrite=False)


def test_writing_needs_its_columns() -> None:
    with pytest.raises(OptionError, match="give the columns"):
        source(plan="{}", rotateBytes="1").writer(StructType().add("entry", BinaryType()), overwrite=False)
