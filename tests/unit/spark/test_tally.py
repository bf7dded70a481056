from collections import Counter
from functools import reduce
from operator import add

from forebay_spark.tally import TOLD, Tally, failure


def test_tallies_add_up() -> None:
    both = Tally(1, 10, 100, 8, 80, 1, Counter(duplicate=2)) + Tally(2, 1, 10, 1, 10, 0, Counter(duplicate=1))
    assert both == Tally(3, 11, 110, 9, 90, 1, Counter(duplicate=3))
    assert Tally(streams_in=3, streams_out=1) + Tally(streams_in=2, streams_out=2) == Tally(streams_in=5, streams_out=3)


def test_figures_have_names_in_camel_case() -> None:
    figures = Tally(1, 3, 30, 2, 20, 0, Counter({"limit-age": 1})).figures()
    assert figures.values["entriesIn"] == 3
    assert figures.values["dropped"] == {"limit-age": 1}
    assert not figures.failures


def test_what_is_neither_kept_nor_dropped_is_lacking() -> None:
    assert Tally(entries_in=9, entries_out=5, dropped=Counter(duplicate=3)).lacking == 1


def test_a_failure_names_its_owner() -> None:
    figures = (Tally(owners=1) + failure("peer", "Redis is away")).figures()
    assert figures.failures == ("peer: Redis is away",)
    assert (figures.values["owners"], figures.values["ownersFailed"]) == (1, 1)


def test_of_very_many_failures_the_first_are_told() -> None:
    tally = reduce(add, (failure(str(number), "away") for number in range(TOLD + 5)))
    assert (tally.failed, len(tally.failures)) == (TOLD + 5, TOLD)
    assert tally.figures().failures_left == 5
