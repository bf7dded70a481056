"""How many connections a peer may have."""

from forebay.outfeed.peering.growth import PERIOD, REST, Growth, GrowthSettings

MOST = 10


def looked(growth, fullness, looks=1):
    for _ in range(looks):
        growth.look(fullness, MOST)
    return growth.limit(MOST)


def period(growth, rate, taken=True):
    """One period in which so many articles a connection are answered, as far as `rate` goes."""
    count = rate(growth.limit(MOST))
    growth.settle(count if taken else 0, 0 if taken else count)
    return looked(growth, 0.0, PERIOD)


def test_without_a_method_all_are_allowed():
    growth = Growth(GrowthSettings())
    assert growth.limit(MOST) == MOST
    assert looked(growth, 0.0, 100) == MOST


def test_a_full_queue_allows_one_more_each_second_and_an_empty_one_takes_them_back():
    growth = Growth(GrowthSettings(by_queue=True, filter=0.0))
    assert growth.limit(MOST) == 1
    assert [looked(growth, 0.6) for _ in range(3)] == [2, 3, 4]
    assert looked(growth, 0.3, 50) == 4, "between the marks nothing changes"
    assert [looked(growth, 0.1) for _ in range(4)] == [3, 2, 1, 1]
    assert looked(growth, 1.0, 50) == MOST


def test_the_filter_makes_it_slow():
    growth = Growth(GrowthSettings(by_queue=True, filter=0.7))
    # 100 * (1 - 0.7 ** n) passes 50 with the second look.
    assert [looked(growth, 1.0) for _ in range(3)] == [1, 2, 3]


def test_by_rate_there_are_no_more_than_pay():
    growth = Growth(GrowthSettings(by_rate=True))
    assert growth.limit(MOST) == 1
    # Four connections are all that the peer has a use for.
    limits = [period(growth, lambda lines: 1000 * min(lines, 4)) for _ in range(6)]
    assert limits == [2, 3, 4, 5, 4, 4]
    later = [period(growth, lambda lines: 1000 * min(lines, 4)) for _ in range(3 * REST)]
    assert set(later) <= {4, 5}
    assert later.count(5) <= 3, "another is tried now and then"


def test_by_rate_nothing_is_tried_while_nothing_goes_out():
    growth = Growth(GrowthSettings(by_rate=True))
    assert {period(growth, lambda lines: 0) for _ in range(20)} == {1}


def test_with_both_a_peer_that_takes_all_is_judged_by_the_queue():
    growth = Growth(GrowthSettings(by_rate=True, by_queue=True, filter=0.0))
    growth.settle(1000, 0)
    assert looked(growth, 0.9, 5) == 6


def test_with_both_a_peer_that_takes_nothing_is_judged_by_the_rate():
    growth = Growth(GrowthSettings(by_rate=True, by_queue=True, filter=0.0))
    growth.settle(0, 1000)
    assert looked(growth, 0.9, 5) == 1


def test_there_is_always_one_and_never_more_than_the_most():
    growth = Growth(GrowthSettings(by_queue=True, filter=0.0))
    looked(growth, 1.0, 50)
    assert growth.limit(3) == 3
    assert looked(growth, 0.0, 50) == 1
