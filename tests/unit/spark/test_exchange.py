from itertools import pairwise

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay_spark.compaction import Rules
from forebay_spark.exchange import SAMPLES, Place, bounds_of, frozen, ordered, ranged, samples, shared, thawed
from forebay_spark.judgement import ARROW, judged
from forebay_spark.times import times_of
from forebay_spark.tokens import message_id
from spillcontents import Contents
from spillstrategies import contents

PARTS = pa.schema({"kind": pa.string(), "appended": pa.int64(), "entry": pa.binary(), "place": pa.int64()})
TASKS = st.integers(1, 5)


def table_of(found: Contents) -> pa.Table:
    rows = [(kind.value, *entry) for kind, segments in found.items() for segment in segments for entry in segment]
    kinds, ids, entries = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    return pa.table([kinds, times_of(ids).tolist(), entries, list(range(len(rows)))], schema=PARTS)


def judged_parts(found: Contents, tasks: int) -> list[pa.Table]:
    pieces = shared(table_of(found), tasks)
    return [pa.Table.from_batches(judged(iter(thawed(octets).to_batches()), Rules()), ARROW) for _, octets in pieces]


def sorted_rows(table: pa.Table) -> list[dict[str, object]]:
    return sorted(table.to_pylist(), key=repr)


@settings(deadline=None)
@given(contents())
def test_a_table_is_thawed_as_it_was_frozen(found: Contents) -> None:
    table = table_of(found)
    assert thawed(frozen(table)).equals(table)


@settings(deadline=None)
@given(contents(), TASKS)
def test_all_entries_of_a_message_id_go_to_one_task_in_their_order(found: Contents, tasks: int) -> None:
    table = table_of(found)
    pieces = [(task, thawed(octets)) for task, octets in shared(table, tasks)]
    owner: dict[bytes, int] = {}
    for task, piece in pieces:
        assert 0 <= task < tasks
        assert all(owner.setdefault(message_id(entry), task) == task for entry in piece["entry"].to_pylist())
        places = piece["place"].to_pylist()
        assert places == sorted(places)
    assert sorted_rows(pa.concat_tables([table.slice(0, 0), *(piece for _, piece in pieces)])) == sorted_rows(table)


@settings(deadline=None)
@given(contents(), TASKS)
def test_ranges_follow_each_other_and_have_all_there_was(found: Contents, tasks: int) -> None:
    parts = judged_parts(found, tasks)
    bounds = bounds_of((place for part in parts for place in samples([part])), tasks)
    ranges: dict[int, list[pa.Table]] = {}
    for number, part in enumerate(parts):
        for task, octets in ranged(part, bounds, number):
            assert 0 <= task < tasks
            ranges.setdefault(task, []).append(thawed(octets))
    whole = [ordered(ranges[task]) for task in sorted(ranges)]
    empty = pa.Table.from_batches([], ARROW)
    assert sorted_rows(pa.concat_tables([empty, *whole])) == sorted_rows(pa.concat_tables([empty, *parts]))
    kept = [
        Place(row["kind"], row["arrival"], row["seq"])
        for each in whole
        for row in each.to_pylist()
        if not row["reason"]
    ]
    assert kept == sorted(kept)


@given(st.lists(st.builds(Place, st.sampled_from("BD"), st.integers(0, 9), st.integers(0, 9))), TASKS)
def test_there_is_a_bound_between_any_two_tasks(places: list[Place], tasks: int) -> None:
    bounds = bounds_of(places, tasks)
    assert len(bounds) == (tasks - 1 if places else 0)
    assert all(one <= other for one, other in pairwise(bounds))


def test_of_a_large_part_only_some_places_are_told() -> None:
    count = 1000 * SAMPLES
    heads = {"kind": ["B"] * count, "appended": [0] * count, "entry": [b""] * count, "reason": [None] * count}
    numbers = {name: list(range(count)) for name in ("arrival", "seq", "rank")}
    table = pa.table(heads | numbers, schema=ARROW)
    found = [place.seq for place in samples([table.slice(0, 7), table.slice(7)])]
    assert SAMPLES / 2 < len(found) <= SAMPLES
    assert found == list(range(0, count, found[1]))
