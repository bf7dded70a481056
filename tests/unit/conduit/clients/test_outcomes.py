"""Outcomes of batches."""

from forebay.conduit.clients.outcomes import Outcome, Outcomes


def told(outcomes):
    return [(each.first, each.count, each.accepted) for each in outcomes.take()]


def test_batches_that_were_accepted_are_one():
    outcomes = Outcomes()
    for _ in range(3):
        outcomes.add(Outcome(accepted=5))
    assert told(outcomes) == [(0, 3, 15)]
    outcomes.add(Outcome(accepted=2))
    assert told(outcomes) == [(3, 1, 2)]
    assert told(outcomes) == []


def test_any_other_stands_for_itself():
    outcomes = Outcomes()
    others = [Outcome(1, spilled=1), Outcome(1, dropped=2), Outcome(0, expired=3), Outcome(refused=1, reason="R")]
    for other in others:
        outcomes.add(Outcome(accepted=4))
        outcomes.add(other)
    results = outcomes.take()
    assert [each.count for each in results] == [1] * 8
    assert [each.first for each in results] == list(range(8))
    odd = results[1::2]
    assert [(each.spilled, each.dropped, each.expired, each.refused, each.reason) for each in odd] == [
        (1, 0, 0, 0, ""),
        (0, 2, 0, 0, ""),
        (0, 0, 3, 0, ""),
        (0, 0, 0, 1, "R"),
    ]
