"""Whole statuses: which conditions and figures there are, and what stays while a service is away."""

from forebay.api.v1alpha1.status import OutfeedStatus, PeerfeedStatus, SpillStatus
from forebay_operator.conditions import Fault, Workload, outfeed_status, peerfeed_status, spill_status
from manifests import outfeed, peerfeed, spill

from .known import LATER, NOW, SILENT, STAMP, after, brief, changed, peer, result, view, workload

HUB, FEED, SPILL = outfeed(), peerfeed("one"), spill()
FED = peer(FEED, connections=2, backlog=1234)
ANSWER = view(result(SPILL), result(HUB), result(FEED), peers=[FED], revision=7)


def kinds(status):
    return [condition["type"] for condition in status["conditions"]]


def test_an_outfeed_that_is_well():
    status = outfeed_status(HUB, workload(), [ANSWER], 7, NOW)
    assert kinds(status) == ["Ready", "Progressing", "Degraded"]
    assert [condition["status"] for condition in status["conditions"]] == ["True", "False", "False"]
    assert (status["observedGeneration"], status["peers"], status["backlog"], status["revision"]) == (1, "1/1", 1200, 7)


def test_a_peerfeed_that_is_well():
    status = peerfeed_status(FEED, [ANSWER], NOW)
    assert kinds(status) == ["Ready", "Connected", "Backlogged", "AuthFailed"]
    assert (status["observedGeneration"], status["connections"], status["backlog"]) == (1, 2, 1200)


def test_a_spill_that_is_well():
    services = [{"kind": "Outfeed", "name": "main", "uid": HUB["metadata"]["uid"]}]
    status = spill_status(SPILL, services, Workload(), [ANSWER], NOW)
    assert kinds(status) == ["Ready"]
    assert (status["services"], status["serviceCount"], status["backlog"]) == (services, 1, 1200)


def test_they_are_as_the_schema_has_them():
    OutfeedStatus.model_validate(outfeed_status(HUB, workload(), [ANSWER], 7, NOW))
    PeerfeedStatus.model_validate(peerfeed_status(FEED, [ANSWER], NOW))
    SpillStatus.model_validate(spill_status(SPILL, [], Workload(), [ANSWER], NOW))


def test_a_second_after_its_creation_each_has_a_ready_of_its_generation():
    statuses = [
        outfeed_status(HUB, Workload(), [], 0, NOW),
        peerfeed_status(FEED, [], NOW),
        spill_status(SPILL, [], Workload(), [], NOW),
    ]
    assert [status["observedGeneration"] for status in statuses] == [1, 1, 1]
    assert [brief(status)[1] for status in statuses] == ["Creating", "ServiceNotReady", "Unused"]


def test_the_same_knowledge_gives_the_same_status():
    before = outfeed_status(HUB, workload(), [ANSWER], 7, NOW)
    assert outfeed_status(after(HUB, before), workload(), [ANSWER], 7, LATER) == before
    before = peerfeed_status(FEED, [ANSWER], NOW)
    assert peerfeed_status(after(FEED, before), [ANSWER], LATER) == before
    before = spill_status(SPILL, [], Workload(), [ANSWER], NOW)
    assert spill_status(after(SPILL, before), [], Workload(), [ANSWER], LATER) == before


def test_figures_stay_while_the_service_is_away_but_its_connections():
    fed = after(FEED, peerfeed_status(FEED, [ANSWER], NOW))
    status = peerfeed_status(fed, [SILENT], LATER)
    assert (status["connections"], status["backlog"]) == (0, 1200)
    assert (brief(status), brief(status, "Connected")) == (("True", "Applied"), ("Unknown", "ServiceUnreachable"))
    hub = after(HUB, outfeed_status(HUB, workload(), [ANSWER], 7, NOW))
    status = outfeed_status(hub, workload(), [SILENT], 7, LATER)
    assert (status["peers"], status["backlog"]) == ("1/1", 1200)
    assert brief(status) == ("False", "ServiceUnreachable")
    used = after(SPILL, spill_status(SPILL, [], Workload(), [ANSWER], NOW))
    assert spill_status(used, [], Workload(), [SILENT], LATER)["backlog"] == 1200


def test_an_edit_that_is_in_force_moves_the_generation_and_no_time():
    edited = changed(after(FEED, peerfeed_status(FEED, [ANSWER], NOW)), port=120)
    status = peerfeed_status(edited, [view(result(edited), peers=[FED])], LATER)
    assert status["observedGeneration"] == 2
    assert {condition["lastTransitionTime"] for condition in status["conditions"]} == {STAMP}


def test_a_fault_blocks_an_outfeed():
    status = outfeed_status(
        HUB, workload(), [ANSWER], 7, NOW, Fault("SpillMissing", "there is no Spill main; apply it")
    )
    assert brief(status) == ("False", "SpillMissing")
    assert brief(status, "Progressing") == ("False", "Blocked")


def test_a_malformed_outfeed_is_blocked():
    status = outfeed_status(changed(HUB, storage={"size": "1B"}), workload(), [ANSWER], 7, NOW)
    assert brief(status, "Progressing") == ("False", "Blocked")
