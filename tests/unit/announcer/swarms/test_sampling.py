from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.swarms.sampling import draw

SIZES = st.integers(0, 40)


def places(spans):
    return [place for start, stop in spans for place in range(start, stop)]


@given(SIZES, SIZES, st.integers(-1, 80), st.integers(-2, 90), st.randoms(use_true_random=False))
def test_as_many_as_are_wanted_are_drawn_none_twice_and_never_the_own(low, size, own, count, random):
    row = range(low, low + size)
    drawn = places(draw(low, low + size, own, count, random.random))
    others = size - (own in row)
    assert len(drawn) == len(set(drawn)) == max(0, min(count, others))
    assert set(drawn) <= set(row) - {own}


@pytest.mark.parametrize("number", [0.0, 0.5, 1 - 2**-53])
def test_numbers_at_the_ends_do_no_harm(number):
    for own in range(-1, 5):
        for count in range(6):
            drawn = places(draw(0, 5, own, count, lambda: number))
            assert len(set(drawn)) == min(count, 5 - (own >= 0))
            assert set(drawn) <= set(range(5)) - {own}


def test_all_places_are_as_likely_as_each_other():
    random = Random(1).random
    drawn = Counter(place for own in list(range(20)) * 500 for place in places(draw(0, 20, own, 5, random)))
    assert max(drawn.values()) < 1.1 * min(drawn.values())


def test_the_pieces_do_not_grow_in_number():
    assert max(len(draw(0, 10**6, own, 10**5, Random(own).random)) for own in range(0, 10**6, 10**4)) == 2
