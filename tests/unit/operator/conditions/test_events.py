import pytest

from forebay_operator.conditions import transitions


def status(*conditions):
    """A status with conditions as (type, status, reason)."""
    return {
        "conditions": [
            {"type": kind, "status": state, "reason": reason, "message": f"because of {reason}"}
            for kind, state, reason in conditions
        ]
    }


def events(before, after):
    return [(event.type, event.reason) for event in transitions(status(*before), status(*after))]


READY = ("Ready", "True", "Applied")


def test_what_stays_is_no_event():
    assert events([READY, ("Connected", "False", "NotReached")], [READY, ("Connected", "False", "NotReached")]) == []


def test_becoming_ready_is_one():
    assert events([("Ready", "Unknown", "ServiceNotReady")], [READY]) == [("Normal", "Applied")]
    assert events([], [READY]) == [("Normal", "Applied")]


def test_ready_under_another_reason_is_one():
    before, after = ("Ready", "False", "PodCrashing"), ("Ready", "False", "ImagePullFailed")
    assert events([before], [after]) == [("Warning", "ImagePullFailed")]


AT_STARTS = [
    "Creating",
    "ParentMissing",
    "PodMissing",
    "ServiceUnreachable",
    "SpillMissing",
    "SpillNotReady",
    "Starting",
]


@pytest.mark.parametrize("reason", AT_STARTS)
def test_what_comes_about_by_itself_is_none_at_the_start(reason):
    assert events([], [("Ready", "False", reason)]) == []


@pytest.mark.parametrize("first", AT_STARTS)
@pytest.mark.parametrize("second", AT_STARTS)
def test_nor_when_one_of_them_follows_another(first, second):
    assert events([("Ready", "False", first)], [("Ready", "False", second)]) == []


def test_but_after_having_been_ready_it_is():
    assert events([READY], [("Ready", "False", "Starting")]) == [("Normal", "Starting")]
    assert events([READY], [("Ready", "False", "ServiceUnreachable")]) == [("Warning", "ServiceUnreachable")]


def test_what_is_not_well_during_a_start_is_told_when_it_lasts():
    starting, degraded = ("Ready", "False", "Starting"), ("Degraded", "True", "SpillUnavailable")
    assert events([], [starting, degraded]) == []
    assert events([starting, degraded], [READY, ("Degraded", "False", "AsExpected")]) == [("Normal", "Applied")]
    told = [("Normal", "Applied"), ("Warning", "SpillUnavailable")]
    assert events([starting, degraded], [READY, degraded]) == told


def test_what_it_does_without_for_a_while_by_itself_is_none():
    well, passing = ("Degraded", "False", "AsExpected"), ("Degraded", "True", "DeletionHeld")
    lasting = ("Degraded", "True", "DiskFull")
    assert events([READY, well], [READY, passing]) == events([READY, passing], [READY, well]) == []
    assert events([READY, passing], [READY, lasting]) == [("Warning", "DiskFull")]


def test_a_fault_is_a_warning_that_says_what_happened():
    [event] = transitions(status(READY), status(("Ready", "False", "Refused")))
    assert event == ("Warning", "Refused", "Ready is False: because of Refused")


def test_not_knowing_is_none():
    assert (
        events([READY, ("Connected", "True", "Reached")], [READY, ("Connected", "Unknown", "ServiceUnreachable")]) == []
    )


@pytest.mark.parametrize(
    ("kind", "bad", "good"),
    [
        ("Connected", "False", "True"),
        ("Degraded", "True", "False"),
        ("Backlogged", "True", "False"),
        ("AuthFailed", "True", "False"),
    ],
)
def test_each_way_there_and_back_is_one(kind, bad, good):
    assert events([(kind, good, "Well")], [(kind, bad, "Ill")]) == [("Warning", "Ill")]
    assert events([(kind, bad, "Ill")], [(kind, good, "Well")]) == [("Normal", "Well")]
    assert events([(kind, "Unknown", "Away")], [(kind, bad, "Ill")]) == [("Warning", "Ill")]


@pytest.mark.parametrize(("kind", "good"), [("Connected", "True"), ("Degraded", "False"), ("AuthFailed", "False")])
def test_being_well_from_the_start_is_none(kind, good):
    assert events([], [(kind, good, "Well")]) == events([(kind, "Unknown", "Away")], [(kind, good, "Well")]) == []


def test_progress_is_none():
    assert events([("Progressing", "False", "UpToDate")], [("Progressing", "True", "Rolling")]) == []


def test_pausing_and_resuming_are():
    assert events([READY], [READY, ("Paused", "True", "ByAnnotation")]) == [("Normal", "Paused")]
    assert events([READY, ("Paused", "True", "ByAnnotation")], [READY]) == [("Normal", "Resumed")]
