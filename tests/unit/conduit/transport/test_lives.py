"""Which start of a node it is."""

from forebay.conduit.transport.lives import LATEST_LIFE, LIVES_A_SECOND, Lives


def test_starts_at_one_moment_are_told_apart():
    lives = Lives(lambda: 1000.0)
    first = lives.begin()
    assert [lives.begin() for _ in range(3)] == [first + 1, first + 2, first + 3]


def test_a_later_process_counts_on():
    first = Lives(lambda: 1000.0).begin()
    assert Lives(lambda: 1000.0 + 1 / LIVES_A_SECOND).begin() == first + 1


def test_numbers_wrap():
    wraps = (LATEST_LIFE + 1) / LIVES_A_SECOND
    assert Lives(lambda: wraps - 1 / LIVES_A_SECOND).begin() == LATEST_LIFE
    assert Lives(lambda: wraps).begin() == 0
