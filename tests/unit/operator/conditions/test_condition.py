from datetime import timedelta, timezone

from forebay_operator.conditions import Verdict, set_condition
from forebay_operator.conditions.condition import settled, timestamp, verdict_of
from manifests import outfeed

from .known import LATER, NOW, STAMP

READY = Verdict("True", "Applied", "in force")


def test_a_first_condition_has_changed_now():
    assert set_condition([], "Ready", READY, 3, NOW) == [
        {
            "type": "Ready",
            "status": "True",
            "observedGeneration": 3,
            "lastTransitionTime": STAMP,
            "reason": "Applied",
            "message": "in force",
        }
    ]


def test_the_transition_time_stays_while_the_status_does():
    before = set_condition([], "Ready", READY, 3, NOW)
    [condition] = set_condition(before, "Ready", Verdict("True", "Other", "else"), 4, LATER)
    assert condition["lastTransitionTime"] == STAMP
    assert (condition["reason"], condition["message"], condition["observedGeneration"]) == ("Other", "else", 4)


def test_the_transition_time_moves_with_the_status():
    before = set_condition([], "Ready", READY, 3, NOW)
    [condition] = set_condition(before, "Ready", Verdict("False", "Refused", "no"), 3, LATER)
    assert condition["lastTransitionTime"] == "2026-01-01T13:00:00Z"


def test_other_conditions_stay_where_they_are():
    before = set_condition(set_condition([], "Ready", READY, 3, NOW), "Connected", READY, 3, NOW)
    after = set_condition(before, "Ready", Verdict("False", "Refused", "no"), 3, LATER)
    assert [condition["type"] for condition in after] == ["Ready", "Connected"]
    assert after[1] == before[1]


def test_a_long_message_is_cut():
    [condition] = set_condition([], "Ready", Verdict("False", "Refused", "x" * 50_000), 3, NOW)
    assert len(condition["message"]) == 1000
    assert condition["message"].endswith("…")


def test_a_condition_that_is_not_there_says_nothing():
    assert verdict_of([], "Ready") is None


def test_a_settled_status_has_these_conditions_alone():
    resource = {**outfeed(), "status": {"conditions": set_condition([], "Paused", READY, 1, NOW), "revision": 4}}
    status = settled(resource, {"Ready": READY}, NOW)
    assert [condition["type"] for condition in status["conditions"]] == ["Ready"]
    assert status["observedGeneration"] == 1


def test_times_are_written_in_utc():
    assert timestamp(NOW.astimezone(timezone(timedelta(hours=2)))) == STAMP
