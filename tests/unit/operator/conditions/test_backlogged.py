from forebay_operator.conditions import Verdict
from forebay_operator.conditions.backlogged import KEEPS_UP, backlogged
from manifests import peerfeed

from .known import peer

FEED = peerfeed("one")
BEHIND = Verdict("True", "Behind", "")


def said(before=None, **fields):
    return backlogged(before, [peer(FEED, **fields)])


def test_false_without_a_backlog():
    assert said(BEHIND, age=500)[:2] == ("False", "KeepsUp")


def test_true_once_the_backlog_is_old():
    assert said(KEEPS_UP, backlog=7, age=60)[:2] == ("True", "Behind")


def test_a_burst_changes_nothing():
    assert said(KEEPS_UP, backlog=7, age=59) is KEEPS_UP
    assert said(BEHIND, backlog=7, age=59) is BEHIND
    assert said(backlog=7, age=59)[:2] == ("False", "KeepsUp")


def test_unknown_before_the_service_tells():
    assert backlogged(None, [])[:2] == ("Unknown", "NotApplied")


def test_what_was_known_stays_while_the_service_is_away():
    assert backlogged(BEHIND, []) is BEHIND
