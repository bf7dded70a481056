"""Cutting entries into batches."""

from hypothesis import given
from hypothesis import strategies as st

from forebay.spill.batches import BATCH_BYTES, batches


def test_a_thousand_entries_make_a_batch() -> None:
    assert [len(batch) for batch in batches([b"x"] * 2500)] == [1000, 1000, 500]


def test_large_entries_make_smaller_batches() -> None:
    assert [len(batch) for batch in batches([b"x" * 400_000] * 4)] == [2, 2]


def test_one_entry_may_be_larger_than_a_batch() -> None:
    assert [len(batch) for batch in batches([b"x", b"y" * (BATCH_BYTES + 1)])] == [1, 1]


@given(st.lists(st.integers(0, 1_500_000), max_size=50))
def test_nothing_is_lost_or_moved(sizes: list[int]) -> None:
    entries = [bytes(size) for size in sizes]
    assert [entry for batch in batches(entries) for entry in batch] == entries
