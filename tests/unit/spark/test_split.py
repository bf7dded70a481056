from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import PySparkException

from forebay_spark.split import Sum, budgets_of, problem_of


def row(part: int, octets: int, *, corrupt: int = 0, kind: str = "B") -> Sum:
    return Sum(part, kind, octets + corrupt, octets)


def test_what_is_over_is_taken_from_the_oldest_on() -> None:
    assert budgets_of([row(1, 100), row(0, 100), row(2, 100)], 150) == {(0, "B"): 150, (1, "B"): 50}


def test_what_may_not_go_is_taken_from_the_next() -> None:
    assert budgets_of([row(0, 10, corrupt=90), row(1, 100)], 150) == {(0, "B"): 50, (1, "B"): 40}


def test_kinds_have_a_limit_each() -> None:
    assert budgets_of([row(0, 100), row(0, 100, kind="D"), row(1, 100, kind="D")], 150) == {(0, "D"): 50}


@given(st.lists(st.integers(1, 100), max_size=6), st.integers(1, 300))
def test_budgets_are_met_by_what_is_there(sizes: list[int], most: int) -> None:
    budgets = budgets_of([row(part, octets) for part, octets in enumerate(sizes)], most)
    going = sum(min(octets, budgets.get((part, "B"), 0)) for part, octets in enumerate(sizes))
    assert going == max(0, sum(sizes) - most)


def test_of_an_error_the_last_line_from_python_is_told() -> None:
    text = "Job aborted\nTraceback (most recent call last):\nforebay.spill.errors.SpillUnavailableError: away\n at java"
    assert problem_of(PySparkException(text)) == "SpillUnavailableError: away"


def test_of_another_error_the_first_line_is_told() -> None:
    assert problem_of(PySparkException("Job aborted\n at java")) == "Job aborted"
