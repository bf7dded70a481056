"""A poisonous article is told from a peer that is wrong altogether."""

import pytest

from forebay.outfeed.peering.poison import SUSPECTS, WRONG_AFTER, GivingUp, PoisonTest
from recordingfeed import tokens


def test_an_article_is_given_up_after_its_failures():
    poison = PoisonTest(GivingUp(3))
    (token,) = tokens(1)
    for tries in (1, 2):
        (token,), given_up = poison.failed([token])
        assert (token.tries, given_up) == (tries, [])
    again, (given_up,) = poison.failed([token])
    assert again == []
    assert given_up.tries == 3


def test_nothing_is_given_up_for_a_peer_that_fails_at_everything():
    poison = PoisonTest(GivingUp(1))
    poison.failed(tokens(WRONG_AFTER - 1))
    assert not poison.peer_is_wrong
    again, given_up = poison.failed(tokens(1))
    assert poison.peer_is_wrong
    assert given_up == []
    assert again[0].tries == 0, "the failure is not the article's"


@pytest.mark.parametrize("answer", [lambda poison: poison.good_answer(), lambda poison: poison.deferred(tokens(1), 0)])
def test_one_orderly_answer_ends_the_suspicion(answer):
    poison = PoisonTest(GivingUp(1))
    poison.failed(tokens(WRONG_AFTER))
    answer(poison)
    assert not poison.peer_is_wrong
    assert poison.failed(tokens(1))[1] != []


def test_put_offs_have_no_end_unless_one_is_set():
    poison = PoisonTest(GivingUp(1))
    (token,) = tokens(1)
    for _ in range(100):
        (token,), given_up = poison.deferred([token], 0)
        assert given_up == []
    assert token.tries == 100


def test_put_offs_end_where_the_peer_says_so():
    poison = PoisonTest(GivingUp(1, 2))
    (token,) = tokens(1)
    (token,), given_up = poison.deferred([token], 0)
    assert given_up == []
    assert poison.deferred([token], 0)[1] == [token.again()]


def test_suspects_are_given_up_however_many_come_in_a_row():
    poison = PoisonTest(GivingUp(2))
    bad = tokens(2 * WRONG_AFTER)
    poison.suspect(bad)
    bad, given_up = poison.failed(bad)
    assert not given_up
    again, given_up = poison.failed(bad)
    assert (again, len(given_up)) == ([], 2 * WRONG_AFTER)
    assert not poison.peer_is_wrong


def test_a_row_is_shorter_by_those_that_turn_out_to_be_suspects():
    poison = PoisonTest(GivingUp(9))
    bad = tokens(WRONG_AFTER + 5)
    poison.failed(bad[: WRONG_AFTER - 1])
    poison.suspect(bad[:5])
    poison.failed(bad[WRONG_AFTER - 1 : -1])
    assert not poison.peer_is_wrong
    poison.failed(bad[-1:])
    assert poison.peer_is_wrong


def test_a_peer_that_is_wrong_costs_no_suspect_either():
    poison = PoisonTest(GivingUp(1))
    suspect, *others = tokens(1 + WRONG_AFTER)
    poison.suspect([suspect])
    poison.failed(others)
    assert poison.failed([suspect]) == ([suspect], [])


def test_failures_of_the_same_articles_make_a_row_too():
    """Few articles, and a peer that takes none of them."""
    poison = PoisonTest(GivingUp(3))
    few = tokens(WRONG_AFTER // 2)
    few, _ = poison.failed(few)
    assert poison.failed(few) == (few, [])
    assert poison.peer_is_wrong


def test_suspects_are_bounded():
    poison = PoisonTest(GivingUp(3))
    many = tokens(SUSPECTS + 2000)
    for first in range(0, len(many), 1000):
        poison.suspect(many[first : first + 1000])
        assert len(poison._suspects) <= SUSPECTS


def test_a_break_counts_against_an_article_once_until_the_peer_takes_another():
    poison = PoisonTest(GivingUp(3))
    (token,) = tokens(1)
    (token,), _ = poison.broke([token])
    assert token.tries == 1
    for _ in range(5):
        assert poison.broke([token]) == ([token], [])
    poison.good_answer()
    (token,), _ = poison.broke([token])
    assert token.tries == 2
    assert poison.broke([token]) == ([], [token.again()])


def test_a_peer_that_breaks_everything_costs_nothing():
    poison = PoisonTest(GivingUp(1))
    poison.failed(tokens(WRONG_AFTER))
    many = tokens(100)
    assert [poison.broke([token]) for token in many] == [([token], []) for token in many]
    assert len(poison._breakers) <= WRONG_AFTER
