import pytest

from forebay.conduit.core.conduits.numbers import Numbers
from forebay.conduit.core.wire.vle import vle

BITS = [pytest.param(7, id="7"), pytest.param(14, id="14"), pytest.param(28, id="28")]


@pytest.mark.parametrize("bits", BITS)
def test_distances_go_through_the_wrap(bits):
    numbers = Numbers(bits)
    assert numbers.distance(2, numbers.mask - 1) == 4
    assert numbers.distance(numbers.mask - 1, 2) == -4
    assert numbers.distance(5, 5) == 0


@pytest.mark.parametrize("bits", BITS)
def test_the_farthest_is_half_way_round(bits):
    numbers = Numbers(bits)
    assert numbers.distance(numbers.half - 1, 0) == numbers.half - 1
    assert numbers.distance(numbers.half, 0) == -numbers.half


def test_a_wrapped_number_stands_for_the_next_one_of_its_kind():
    numbers = Numbers(7)
    assert numbers.after(3, 1000) == 1027
    assert numbers.after(1000 & 127, 1000) == 1000


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("before", [0, 1, 3, 200], ids=str)
def test_runs_are_encoded_through_the_wrap(bits, before):
    numbers = Numbers(bits)
    first = 5 * (numbers.mask + 1) - before
    assert numbers.encoded(first, 400) == [vle(number & numbers.mask) for number in range(first, first + 400)]


@pytest.mark.parametrize("first", [(1 << 14) - 5, (1 << 21) - 5, (37 << 14) - 5], ids=str)
def test_long_numbers_are_encoded_through_every_block(first):
    assert Numbers(28).encoded(first, 10) == [vle(number) for number in range(first, first + 10)]


def test_no_number_has_no_octets():
    assert Numbers(14).encoded(7, 0) == []
