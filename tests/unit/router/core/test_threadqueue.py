import pytest

from forebay.router.core.threadqueue import QueueLimits, ThreadQueue


def test_internal_goes_first_then_urgent_then_regular():
    queue = ThreadQueue(QueueLimits())
    queue.put("regular 1", urgent=False)
    queue.extend(["urgent 1", "urgent 2"], urgent=True)
    queue.put_internal("internal")
    queue.extend(["regular 2"], urgent=False)
    assert queue.take_internal() == "internal"
    assert queue.take_internal() is None
    assert [queue.take() for _ in range(5)] == ["urgent 1", "urgent 2", "regular 1", "regular 2", None]


def test_it_is_full_from_high_on_and_low_below_low_and_takes_everything():
    queue = ThreadQueue(QueueLimits(high=4, low=2))
    assert queue.low
    for number in range(10):
        queue.put(number, urgent=number % 2 == 0)
        assert queue.full == (number >= 3)
        assert queue.low == (number < 1)
    assert len(queue) == 10
    while queue.full:
        queue.take()
    assert (len(queue), queue.low) == (3, False)
    queue.take()
    assert not queue.low
    queue.take()
    assert queue.low


def test_what_is_internal_does_not_make_it_full():
    queue = ThreadQueue(QueueLimits(high=1, low=1))
    queue.put_internal("x")
    assert not queue.full
    assert len(queue) == 0


def test_clearing_gives_what_was_left():
    queue = ThreadQueue(QueueLimits())
    queue.put("r", urgent=False)
    queue.put("u", urgent=True)
    assert queue.clear() == ["u", "r"]
    assert queue.take() is None


@pytest.mark.parametrize(("high", "low"), [(0, 0), (1, 2), (5, 0)])
def test_limits_that_make_no_sense(high, low):
    with pytest.raises(ValueError, match="give 0 < low <= high"):
        QueueLimits(high, low)
