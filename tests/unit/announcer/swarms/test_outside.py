from random import Random

import pytest

from forebay.announcer.swarms.outside import LIFETIME, MOST, News, Outside
from swarms import NOW, V6, endpoint, split

RANDOM = Random(0).random


def news(*hosts, family=4, **counts):
    row = b"".join(endpoint(host, family) for host in hosts)
    return News(peers=row, **counts) if family == 4 else News(peers6=row, **counts)


def nobody(endpoint):
    return False


def known(outside, family=4):
    return split(outside.draw(family + 2, 1000, RANDOM), family)


@pytest.fixture
def outside():
    return Outside(NOW)


def test_what_is_heard_is_told_once(outside):
    outside.hear(news(1, 2, 2), nobody, NOW)
    outside.hear(news(2, 3), nobody, NOW)
    assert sorted(known(outside)) == [endpoint(1), endpoint(2), endpoint(3)]


def test_families_are_not_mixed(outside):
    outside.hear(news(1), nobody, NOW)
    outside.hear(news(2, family=V6), nobody, NOW)
    assert (known(outside), known(outside, V6)) == ([endpoint(1)], [endpoint(2, V6)])


def test_clients_of_ours_are_left_out(outside):
    outside.hear(news(1, 2), endpoint(1).__eq__, NOW)
    assert known(outside) == [endpoint(2)]
    outside.discard(endpoint(2))
    assert known(outside) == []


def test_a_client_of_ours_is_discarded_wherever_it_is(outside):
    outside.hear(news(1, family=V6), nobody, NOW)
    outside.hear(news(2), nobody, NOW + LIFETIME)
    outside.discard(endpoint(1, V6))
    assert (known(outside), known(outside, V6)) == ([endpoint(2)], [])


def test_what_is_heard_no_more_is_forgotten(outside):
    outside.hear(news(1, complete=7), nobody, NOW)
    outside.hear(news(2, complete=3, incomplete=4), nobody, NOW + LIFETIME)
    assert sorted(known(outside)) == [endpoint(1), endpoint(2)]
    assert (outside.complete, outside.incomplete) == (7, 4)
    assert not outside.is_over(NOW + 2 * LIFETIME)
    assert known(outside) == [endpoint(2)]
    assert (outside.complete, outside.incomplete) == (3, 4)
    assert outside.is_over(NOW + 3 * LIFETIME)


def test_what_is_heard_again_stays(outside):
    for hour in range(5):
        outside.hear(news(1), nobody, NOW + hour * LIFETIME)
        assert known(outside) == [endpoint(1)]


def test_a_long_silence_ends_it(outside):
    outside.hear(news(1), nobody, NOW)
    assert outside.is_over(NOW + 100 * LIFETIME)


def test_the_latest_have_precedence(outside):
    outside.hear(news(*range(MOST)), nobody, NOW)
    outside.hear(news(*range(MOST, MOST + 5)), nobody, NOW)
    assert len(known(outside)) == MOST
    assert {endpoint(host) for host in range(MOST, MOST + 5)} <= set(known(outside))


def test_as_many_as_are_wanted_are_drawn(outside):
    outside.hear(news(*range(20)), nobody, NOW)
    assert len(outside.draw(6, 7, RANDOM)) == 7 * 6
    assert outside.draw(6, 0, RANDOM) == outside.draw(6, -3, RANDOM) == b""
