from math import inf

import pytest

from forebay.conduit.core.conduits.synchtimer import SynchTimer


@pytest.fixture
def timer():
    return SynchTimer(0.01, 0.05)


def test_it_rests_until_samples_go_out(timer):
    assert timer.due == inf
    timer.start(1.0)
    assert timer.due == 1.01


def test_more_samples_do_not_put_it_off(timer):
    timer.start(1.0)
    timer.start(1.005)
    assert timer.due == 1.01


def test_it_backs_off_while_nobody_answers(timer):
    timer.start(0.0)
    intervals = []
    for _ in range(5):
        now = timer.due
        timer.sent(now)
        intervals.append(round(timer.due - now, 6))
    assert intervals == [0.02, 0.04, 0.05, 0.05, 0.05]


def test_progress_brings_it_back_to_the_first_interval(timer):
    timer.start(0.0)
    for _ in range(5):
        timer.sent(timer.due)
    timer.progressed(1.0)
    assert timer.due == 1.01


def test_it_stops_once_all_is_acknowledged(timer):
    timer.start(0.0)
    timer.sent(timer.due)
    timer.stop()
    assert timer.due == inf
    timer.start(2.0)
    assert timer.due == 2.01
