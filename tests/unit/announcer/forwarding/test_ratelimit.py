"""The token bucket."""

from forebay.announcer.forwarding.ratelimit import TokenBucket


def taken(bucket, now):
    count = 0
    while bucket.take(now):
        count += 1
    return count


def test_a_burst_of_200_and_then_100_a_second():
    bucket = TokenBucket(100, 200, now=0.0)
    assert taken(bucket, 0.0) == 200
    assert taken(bucket, 1.0) == 100


def test_tokens_come_back_by_time_passed():
    bucket = TokenBucket(100, 200, now=0.0)
    taken(bucket, 0.0)
    assert not bucket.take(0.0078125)
    assert bucket.take(0.015625)


def test_never_more_than_the_burst():
    bucket = TokenBucket(100, 200, now=0.0)
    assert taken(bucket, 3600.0) == 200


def test_a_clock_that_goes_back_takes_nothing_away():
    bucket = TokenBucket(100, 2, now=10.0)
    assert bucket.take(5.0)
    assert bucket.take(5.0)
    assert not bucket.take(5.0)
