"""The filter that decides whether CHECK is skipped, against the figures of innfeed."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.sending.nocheck import NoCheckFilter, NoCheckSettings


def saturated():
    nocheck = NoCheckFilter(NoCheckSettings())
    nocheck.accepted(10_000)
    return nocheck


def test_check_is_used_at_first():
    assert not NoCheckFilter(NoCheckSettings()).skips


def test_the_149th_acceptance_in_a_row_ends_check():
    nocheck = NoCheckFilter(NoCheckSettings())
    nocheck.accepted(148)
    assert not nocheck.skips
    nocheck.accepted(1)
    assert nocheck.skips


def test_one_by_one_is_like_in_bulk():
    nocheck = NoCheckFilter(NoCheckSettings())
    for number in range(1, 150):
        nocheck.accepted(1)
        assert nocheck.skips == (number == 149)


@pytest.mark.parametrize(("declined", "skips"), [(5, True), (6, False)])
def test_the_6th_refusal_in_a_row_brings_check_back(declined, skips):
    nocheck = saturated()
    nocheck.declined(declined)
    assert nocheck.skips == skips


def test_between_the_thresholds_nothing_changes():
    nocheck = saturated()
    nocheck.declined(4)
    assert nocheck.skips
    nocheck.declined(2)
    nocheck.accepted(10)
    assert not nocheck.skips


def test_disabled_never_skips():
    nocheck = NoCheckFilter(NoCheckSettings(enabled=False))
    nocheck.accepted(10_000)
    assert not nocheck.skips


def test_settings_move_the_thresholds():
    nocheck = NoCheckFilter(NoCheckSettings(on=50, off=40, filter=10))
    nocheck.accepted(7)
    assert nocheck.skips


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 200))))
def test_runs_end_where_single_verdicts_would(runs):
    bulk, single = NoCheckFilter(NoCheckSettings()), NoCheckFilter(NoCheckSettings())
    for good, count in runs:
        (bulk.accepted if good else bulk.declined)(count)
        for _ in range(count):
            (single.accepted if good else single.declined)(1)
        assert bulk.skips == single.skips


def test_it_turns_at_the_very_answers_that_exact_numbers_do():
    chance = Random(10)
    nocheck = NoCheckFilter(NoCheckSettings())
    value, skips, turns = Fraction(0), False, 0
    for _ in range(300):
        # Steps from nearly all to hardly anything: else the filter would not leave the side that it is on.
        share = chance.choice([0.5, 0.9, 0.95, 1.0])
        for _ in range(50):
            taken = chance.random() < share
            (nocheck.accepted if taken else nocheck.declined)(1)
            # Exact to far below any float, and of bounded length.
            value = Fraction(round((value * Fraction(49, 50) + taken) * 10**30), 10**30)
            before, skips = skips, (skips or value > Fraction(95, 2)) and value >= 45
            turns += skips != before
            assert nocheck.skips == skips
    assert turns > 20
