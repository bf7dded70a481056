from datetime import timedelta

from compactionobjects import NOW, run
from forebay_operator.compactions import Run, State, newest_first


def test_it_survives_the_status():
    told = {"ended": NOW, "started": NOW, "attempts": 2, "message": "why", "figures": {"entriesIn": 9}}
    told |= {"failures": ("east: promoted",), "failures_left": 3}
    for each in (run(), run(State.FAILED, **told)):
        assert Run.from_status(each.status()) == each


def test_what_is_not_known_is_left_out():
    assert run().status().keys() == {"name", "trigger", "generation", "due", "state", "attempts", "created"}


def test_a_state_of_a_newer_operator_is_unknown():
    assert Run.from_status({**run().status(), "state": "Dreaming"}).state is State.UNKNOWN


def test_the_newest_come_first():
    runs = [run(ago=60), run(), run(ago=60, name="z")]
    assert [each.created for each in newest_first(runs)] == [NOW, *[NOW - timedelta(seconds=60)] * 2]
    assert newest_first(runs) == newest_first(reversed(runs))


def test_an_end_is_an_end():
    assert {state for state in State if state.is_failure} < {state for state in State if state.is_final}
