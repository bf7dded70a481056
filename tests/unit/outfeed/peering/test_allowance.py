"""How many articles may go, where there is a most a second."""

import pytest

from forebay.outfeed.peering.allowance import Allowance


def test_it_grows_with_the_time_up_to_a_second():
    allowance = Allowance(10, 1000)
    assert allowance.room(1000) == 0
    assert allowance.room(1500) == 5
    allowance.spend(5)
    assert allowance.room(1599) == 0
    assert allowance.room(1600) == 1
    assert allowance.room(60_000) == 10


def test_less_than_one_a_second_lets_one_go_now_and_then():
    allowance = Allowance(0.25, 0)
    assert allowance.room(3999) == 0
    assert allowance.room(4000) == 1
    assert allowance.room(400_000) == 2
    allowance.spend(2)
    assert allowance.room(403_000) == 0
    assert allowance.room(404_000) == 1


@pytest.mark.parametrize("back", [999, 0, -5000])
def test_a_clock_that_goes_back_gives_nothing(back):
    allowance = Allowance(10, 1000)
    assert allowance.room(back) == 0
    assert allowance.room(back + 100) == 1


@pytest.mark.parametrize("rate", [0.5, 3, 250])
def test_over_a_long_time_the_rate_is_kept(rate):
    allowance = Allowance(rate, 0)
    went = 0
    for now in range(0, 100_000, 130):
        room = allowance.room(now)
        allowance.spend(room)
        went += room
    assert went == pytest.approx(rate * 100, rel=0.02, abs=1)


def test_without_a_rate_there_is_no_limit():
    allowance = Allowance(None, 0)
    allowance.spend(1_000_000)
    assert allowance.room(0) > 1_000_000
