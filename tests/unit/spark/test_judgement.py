from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay.outfeed.token import decode
from forebay_spark.compaction import Rules
from forebay_spark.judgement import ARROW, cut, judged
from forebay_spark.times import times_of
from spillcontents import Contents
from spilloracle import expected
from spillstrategies import EPOCH, TIMES, contents

PARTS = pa.schema({"kind": pa.string(), "appended": pa.int64(), "entry": pa.binary(), "place": pa.int64()})


def part(found: Contents) -> Iterator[pa.RecordBatch]:
    """Rows as a shuffle gives them: in batches, and in any order."""
    rows = [(kind.value, *entry) for kind, segments in found.items() for segment in segments for entry in segment]
    kinds, ids, entries = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    columns = [kinds, times_of(ids), entries, range(len(rows))]
    table = pa.Table.from_arrays([pa.array(list(column)) for column in columns], names=PARTS.names).cast(PARTS)
    return iter(table.sort_by([("place", "descending")]).to_batches(7))


def rows_of(batches: Iterator[pa.RecordBatch]) -> list[dict[str, object]]:
    return pa.Table.from_batches(list(batches), ARROW).to_pylist()


@settings(deadline=None)
@given(contents(), st.none() | st.integers(EPOCH, EPOCH + TIMES))
def test_a_part_becomes_what_plain_python_makes_of_it(found: Contents, oldest: int | None) -> None:
    rows = rows_of(judged(part(found), Rules(oldest)))
    for kind, segments in found.items():
        wanted = expected([entry for segment in segments for entry in segment], oldest, None)
        mine = [row for row in rows if row["kind"] == kind.value]
        kept = [row for row in mine if row["reason"] is None]
        assert [row["entry"] for row in kept] == wanted.entries
        gone = [row for row in mine if row["reason"] is not None]
        assert Counter(row["reason"] for row in gone) == +wanted.dropped
        assert sorted(decode(row["entry"]).seq for row in gone if row["entry"]) == sorted(wanted.released)


@settings(deadline=None)
@given(contents())
def test_rows_that_stay_can_be_sorted_back_into_their_order(found: Contents) -> None:
    for kind in found:
        rows = [row for row in rows_of(judged(part(found), Rules())) if (row["kind"], row["reason"]) == (kind, None)]
        assert rows == sorted(rows, key=lambda row: (row["arrival"], row["seq"], row["rank"]))


@settings(deadline=None)
@given(contents(), st.integers(0, 2000))
def test_a_budget_takes_the_oldest_tokens(found: Contents, budget: int) -> None:
    whole = rows_of(judged(part(found), Rules()))
    rows = rows_of(cut(judged(part(found), Rules()), {(0, "B"): budget}))
    tokens = [row for row in rows if row["kind"] == "B" and row["entry"] and len(row["entry"]) > 22]
    tokens = [row for row in tokens if row["reason"] in (None, "limit-bytes")]
    gone = [row for row in tokens if row["reason"]]
    assert tokens[: len(gone)] == gone
    octets = [len(row["entry"]) for row in gone]
    assert sum(octets) >= budget or len(gone) == len(tokens)
    assert sum(octets[:-1]) < budget or not gone
    assert [row["entry"] for row in rows] == [row["entry"] for row in whole]


def test_the_budget_of_another_partition_takes_nothing() -> None:
    assert list(cut(iter([]), {(1, "B"): 5})) == []


def test_nothing_yields_nothing() -> None:
    assert list(judged(iter([]), Rules())) == []
