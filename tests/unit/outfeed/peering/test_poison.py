"""A poisonous article is told from a peer that is wrong altogether."""

import pytest

from forebay.outfeed.peering.poison import WRONG_AFTER, GivingUp, PoisonTest
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
