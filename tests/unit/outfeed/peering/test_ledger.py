"""The columns of a ledger always add up, whatever happens in whatever order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.peering.ledger import Ledger

MOVES = {
    "offer": lambda ledger, n: ledger.offer(n),
    "send": lambda ledger, n: ledger.send(min(n, ledger.queued + ledger.deferred)),
    "give_back": lambda ledger, n: ledger.give_back(min(n, ledger.in_flight)),
    "accept": lambda ledger, n: ledger.accept(min(n, ledger.in_flight), 10 * n),
    "refuse": lambda ledger, n: ledger.refuse(min(n, ledger.in_flight), n),
    "reject": lambda ledger, n: ledger.reject(min(n, ledger.in_flight), 10 * n),
    "defer": lambda ledger, n: ledger.defer(min(n, ledger.in_flight), n),
    "bury": lambda ledger, n: ledger.bury(min(n, ledger.in_flight)),
    "lose": lambda ledger, n: ledger.lose(min(n, ledger.in_flight), "missing"),
    "recall": lambda ledger, n: ledger.recall(min(n, ledger.deferred)),
    "expire": lambda ledger, n: ledger.expire(min(n, ledger.queued)),
    "drop": lambda ledger, n: ledger.drop(min(n, ledger.queued), "limit-bytes"),
    "replay": lambda ledger, n: ledger.replay(min(n, ledger.dead_kept)),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(MOVES)), st.integers(0, 50))))
def test_every_move_keeps_the_balance_and_no_column_falls_below_zero(moves):
    ledger = Ledger()
    for name, count in moves:
        MOVES[name](ledger, count)
        assert ledger.imbalance == 0
        assert min(ledger.queued, ledger.deferred, ledger.in_flight, ledger.dead_kept) >= 0


def test_an_imbalance_shows():
    ledger = Ledger()
    ledger.offer(3)
    ledger.accepted += 1
    assert ledger.imbalance == -1


def test_recovery_at_start_tells_what_is_deferred_and_what_was_given_up_from_what_is_owed():
    ledger = Ledger()
    ledger.offer(10)
    ledger.recover(deferred=3, dead=2)
    assert (ledger.queued, ledger.deferred, ledger.dead_lettered, ledger.offered) == (5, 3, 2, 10)
    assert ledger.imbalance == 0


def test_dead_letters_that_redis_lost_are_offered_again():
    ledger = Ledger()
    ledger.offer(10)
    ledger.recover(deferred=0, dead=4)
    ledger.recover(deferred=0, dead=1)
    assert (ledger.queued, ledger.offered, ledger.dead_lettered, ledger.dead_kept) == (9, 13, 4, 1)
    assert ledger.imbalance == 0


def test_an_article_both_in_b_and_in_d_is_taken_from_what_is_deferred():
    ledger = Ledger()
    ledger.offer(1)
    ledger.send(1)
    ledger.defer(1, 100)
    ledger.send(1)
    assert (ledger.queued, ledger.deferred, ledger.in_flight) == (0, 0, 1)


@pytest.mark.parametrize("reason", ["limit-bytes", "missing"])
def test_drops_are_counted_by_reason(reason):
    ledger = Ledger()
    ledger.offer(2)
    ledger.drop(2, reason)
    assert ledger.dropped[reason] == 2
    assert ledger.settled == 2
