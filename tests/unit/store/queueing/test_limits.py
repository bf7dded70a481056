"""Limits of a length: what fits, and what is too much."""

from hypothesis import given
from hypothesis import strategies as st

from forebay.store.queueing import limits
from forebay.store.queueing.limits import Standing
from forebay.store.queueing.spec import QueueSpec

EMPTY = Standing(0, 0, 0, 0)


def spec(**limits):
    return QueueSpec("q", "uid", **limits)


def test_without_limits_all_fits():
    assert not limits.limited(spec())
    assert limits.fitting(spec(), Standing(1 << 40, 1 << 50, 0, 0), [1, 2, 3]) == 3
    assert limits.excess(spec(), Standing(1 << 40, 1 << 50, 0, 0), 1) == 0


def test_a_limit_of_messages():
    assert limits.fitting(spec(max_length=3), Standing(1, 9, 0, 0), [5, 5, 5, 5]) == 2
    assert limits.fitting(spec(max_length=3), Standing(3, 9, 0, 0), [5]) == 0
    assert limits.fitting(spec(max_length=0), EMPTY, [1]) == 0
    assert limits.excess(spec(max_length=3), Standing(5, 9, 0, 0), 9) == 2
    assert limits.excess(spec(max_length=3), Standing(3, 9, 0, 0), 9) == 0


def test_a_limit_of_octets():
    assert limits.fitting(spec(max_octets=10), EMPTY, [4, 6, 1]) == 2
    assert limits.fitting(spec(max_octets=10), EMPTY, [11]) == 0
    assert limits.excess(spec(max_octets=10), Standing(5, 30, 0, 0), 6) == 3
    assert limits.excess(spec(max_octets=10), Standing(5, 11, 0, 0), 6) == 1


def test_held_messages_count_only_where_that_is_wanted():
    standing = Standing(1, 1, 2, 2)
    assert limits.fitting(spec(max_length=3), standing, [1, 1, 1]) == 2
    assert limits.fitting(spec(max_length=3, count_unacked=True), standing, [1, 1, 1]) == 0
    assert limits.excess(spec(max_length=1, count_unacked=True), standing, 1) == 1
    assert limits.excess(spec(max_length=1, count_unacked=True), Standing(0, 0, 2, 2), 1) == 0


@given(
    st.lists(st.integers(0, 20), max_size=30),
    st.none() | st.integers(0, 10),
    st.none() | st.integers(0, 100),
)
def test_dropping_what_is_in_excess_ends_below_the_limits_and_drops_no_more(sizes, length, octets):
    limited = spec(max_length=length, max_octets=octets)
    left = list(sizes)

    def over(rest):
        return (length is not None and len(rest) > length) or (octets is not None and sum(rest) > octets)

    while count := limits.excess(limited, Standing(len(left), sum(left), 0, 0), max(sizes, default=0)):
        assert over(left[count - 1 :])
        del left[:count]
    assert not left or not over(left)


def test_the_reason_names_queue_and_limits():
    assert "queue q is full (3 messages and 10 octets)" in limits.reason(spec(max_length=3, max_octets=10))
    assert "(10 octets)" in limits.reason(spec(max_octets=10))
