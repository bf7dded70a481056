"""Statuses of Announcers and of their forwarders."""

import pytest

from forebay.api.v1alpha1.status import AnnouncerStatus, ForwarderStatus
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay_operator.conditions import Fault, Workload, announcer_status, forwarder_status, transitions
from manifests import announcer, forwarder

from .known import LATER, NOT_CONFIGURED, NOW, SILENT, after, brief, changed, result, said, view, workload

SWARM, EAST, WEST = announcer(), forwarder("east"), forwarder("west")
ENABLED, SUSPENDED = pb.FORWARDER_CONDITION_ENABLED, pb.FORWARDER_CONDITION_SUSPENDED
DISABLED, PAUSED = pb.FORWARDER_CONDITION_DISABLED, pb.FORWARDER_CONDITION_PAUSED
QUEUE = pb.GetQueueResponse(depth=1234, capacity=10_000, fill=12.34, peers=45_678, swarms=789)


def fares(resource, condition=ENABLED, **fields):
    """How a service says that a forwarder fares."""
    return pb.Forwarder(name=resource["metadata"]["name"], condition=condition, **fields)


def told(*forwarders, queue=QUEUE, revision=7):
    """A pod that has everything in force."""
    results = result(SWARM), result(EAST), result(WEST)
    return view(*results, forwarders=forwarders, queue=queue, revision=revision)


BUSY = fares(EAST, answers=1234, mean_response=0.0356)
GONE = fares(WEST, DISABLED, cause="NAME_UNKNOWN", reason="the name west.example is not known")
LIMITED = fares(WEST, SUSPENDED, cause="TOO_MANY_REQUESTS", reason="it answered 429", suspended_for=123.4)
ANSWER = told(BUSY, fares(WEST))


def test_an_announcer_that_is_well():
    status = announcer_status(SWARM, workload(), [ANSWER], 7, NOW)
    assert [(each["type"], each["status"]) for each in status["conditions"]] == [
        ("Ready", "True"),
        ("Progressing", "False"),
        ("Degraded", "False"),
    ]
    figures = {name: status[name] for name in ("peers", "torrents", "forwarders", "queued", "fill", "revision")}
    assert figures == {"peers": 46_000, "torrents": 790, "forwarders": "2/2", "queued": 1200, "fill": 12, "revision": 7}


def test_a_forwarder_that_is_well():
    status = forwarder_status(EAST, [ANSWER], NOW)
    assert [(each["type"], each["status"], each["reason"]) for each in status["conditions"]] == [
        ("Ready", "True", "Applied"),
        ("Disabled", "False", "Enabled"),
        ("Suspended", "False", "NotSuspended"),
    ]
    assert (status["state"], status["answers"], status["meanMilliseconds"]) == ("Enabled", 1200, 36)


def test_one_that_never_answered_has_no_mean():
    status = forwarder_status(WEST, [ANSWER], NOW)
    assert (status["answers"], "meanMilliseconds" in status) == (0, False)


def test_a_disabled_one_tells_why_and_what_to_do():
    views = [told(BUSY, GONE)]
    status = forwarder_status(WEST, views, NOW)
    assert brief(status) == ("True", "Applied")
    verdict = said(status, "Disabled")
    assert verdict[:2] == ("True", "NameUnknown")
    assert verdict.message.startswith("the name west.example is not known; mend spec.url")
    assert status["state"] == "Disabled"
    assert announcer_status(SWARM, workload(), views, 7, NOW)["forwarders"] == "1/2"


def test_a_suspended_one_tells_why_and_not_how_long():
    status = forwarder_status(WEST, [told(LIMITED)], NOW)
    assert said(status, "Suspended") == (
        "True",
        "TooManyRequests",
        "it answered 429; it gets announces again by itself",
    )
    assert brief(status, "Disabled") == ("False", "Enabled")
    assert status["state"] == "Suspended"
    later = fares(WEST, SUSPENDED, cause="TOO_MANY_REQUESTS", reason="it answered 429", suspended_for=1)
    assert forwarder_status(after(WEST, status), [told(later)], LATER) == status


def test_a_paused_one_is_neither_disabled_nor_suspended():
    status = forwarder_status(WEST, [told(fares(WEST, PAUSED))], NOW)
    assert [each["status"] for each in status["conditions"]] == ["True", "False", "False"]
    assert status["state"] == "Paused"


def test_events_tell_of_a_disabled_one_and_of_its_return():
    well, disabled = (forwarder_status(WEST, [told(each)], NOW) for each in (fares(WEST), GONE))
    [event] = transitions(well, disabled)
    assert (event.type, event.reason) == ("Warning", "NameUnknown")
    [event] = transitions(disabled, well)
    assert (event.type, event.reason) == ("Normal", "Enabled")


def test_no_event_tells_of_a_suspension():
    well, suspended = (forwarder_status(WEST, [told(each)], NOW) for each in (fares(WEST), LIMITED))
    assert transitions(well, suspended) == transitions(suspended, well) == []


def test_a_disabled_one_stays_so_while_its_service_is_away():
    before = forwarder_status(WEST, [told(GONE)], NOW)
    status = forwarder_status(after(WEST, before), [SILENT], LATER)
    assert said(status, "Disabled") == said(before, "Disabled")
    assert brief(status, "Suspended") == ("Unknown", "ServiceUnreachable")
    assert (status["state"], status["answers"]) == ("Disabled", 0)
    assert transitions(before, status) == []


def test_they_are_as_the_schema_has_them():
    AnnouncerStatus.model_validate(announcer_status(SWARM, workload(), [ANSWER], 7, NOW))
    AnnouncerStatus.model_validate(announcer_status(SWARM, Workload(), [], 0, NOW))
    for views in ([ANSWER], [told(GONE)], [told(LIMITED)], [SILENT], []):
        ForwarderStatus.model_validate(forwarder_status(WEST, views, NOW))


@pytest.mark.parametrize(("fill", "told_fill"), [(0.0, 0), (0.99, 0), (59.9, 59), (100.0, 100), (100.01, 100)])
def test_a_fill_is_full_only_when_it_is(fill, told_fill):
    queue = pb.GetQueueResponse(fill=fill)
    assert announcer_status(SWARM, workload(), [told(queue=queue)], 7, NOW)["fill"] == told_fill


def test_the_same_knowledge_gives_the_same_status():
    before = announcer_status(SWARM, workload(), [ANSWER], 7, NOW)
    assert announcer_status(after(SWARM, before), workload(), [ANSWER], 7, LATER) == before
    before = forwarder_status(EAST, [ANSWER], NOW)
    assert forwarder_status(after(EAST, before), [ANSWER], LATER) == before


@pytest.mark.parametrize("views", [[SILENT], [view(result(SWARM), degradations=[NOT_CONFIGURED])]], ids=["away", "new"])
def test_figures_stay_while_nobody_tells_them(views):
    before = announcer_status(SWARM, workload(), [ANSWER], 7, NOW)
    status = announcer_status(after(SWARM, before), workload(), views, 7, LATER)
    for name in ("peers", "torrents", "forwarders", "queued", "fill"):
        assert status[name] == before[name]
    assert brief(status)[0] == "False"
    before = forwarder_status(EAST, [ANSWER], NOW)
    status = forwarder_status(after(EAST, before), views, LATER)
    assert (status["state"], status["answers"], status["meanMilliseconds"]) == ("Enabled", 1200, 36)


def test_a_refused_forwarder_leaves_its_announcer_ready():
    refused = result(WEST, ("spec.url", "is no tracker's; give another"))
    views = [view(result(SWARM), result(EAST), refused, forwarders=[BUSY], queue=QUEUE)]
    assert brief(forwarder_status(WEST, views, NOW)) == ("False", "Refused")
    verdict = said(announcer_status(SWARM, workload(), views, 1, NOW), "Ready")
    assert verdict.status == "True"
    assert verdict.message.endswith("refused, each for the reason in its own conditions: west")


@pytest.mark.parametrize("views", [(), (SILENT,), (view(degradations=[NOT_CONFIGURED]),)])
def test_a_new_forwarder_waits_for_its_announcer(views):
    status = forwarder_status(WEST, views, NOW)
    assert brief(status) == ("Unknown", "ServiceNotReady")
    assert brief(status, "Disabled") == ("Unknown", "NotApplied")
    assert transitions({}, status) == []


def test_a_forwarder_without_its_announcer_says_so():
    fault = Fault("ParentMissing", "there is no Announcer main; apply one, or correct spec.announcerRef.name")
    assert said(forwarder_status(WEST, [], NOW, fault), "Ready") == ("False", *fault)


def test_a_malformed_forwarder_is_told_by_its_field():
    status = forwarder_status(changed(WEST, timeout="1h"), [told(fares(WEST))], NOW)
    assert brief(status) == ("False", "Invalid")
    assert said(status, "Ready").message.startswith("spec.timeout: ")
