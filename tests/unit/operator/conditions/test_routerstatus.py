"""Statuses of Routers and of their links."""

import pytest

from forebay.api.v1alpha1.status import RouterLinkStatus, RouterStatus
from forebay.pb.router.v1 import router_pb2 as pb
from forebay_operator.conditions import Fault, Workload, router_status, routerlink_status, transitions
from manifests import router, routerlink

from .known import LATER, NOT_CONFIGURED, NOW, SILENT, after, brief, changed, pod, result, said, view, workload

CHAT, EAST, WEST = router(), routerlink("east"), routerlink("west")
PODS = [pod(f"main-router-{number}") for number in range(2)]
WORKLOAD = workload(*PODS, replicas=2)
REFUSED = "no router at west.example:7720 answers: see whether one runs there"


def up(link, waiting=0, other="far-router-0"):
    """How a router says that a link fares."""
    return pb.LinkStatus(name=link["metadata"]["name"], router=other, up=True, waiting_octets=waiting)


def down(link, waiting=0):
    return pb.LinkStatus(name=link["metadata"]["name"], problem=REFUSED, waiting_octets=waiting)


def suspended(link):
    return pb.LinkStatus(name=link["metadata"]["name"], suspended=True)


def told(*links, threads=1234, processes=3, alarms=2):
    """A pod that has everything in force, and a link to another pod of the same Router."""
    names = [pb.ProcessStatus(process=str(number)) for number in range(processes)]
    links = pb.LinkStatus(router="main-router-1", up=True), *links
    answer = pb.GetRouterResponse(threads=threads, processes=names, links=links, alarms=alarms)
    return view(result(CHAT), result(EAST), result(WEST), router=answer, revision=7)


def status_of(*views, before=CHAT, now=NOW):
    return router_status(before, WORKLOAD, views, 7, now)


def test_a_router_that_is_well():
    status = status_of(told(up(EAST), up(WEST)), told(threads=1, processes=4, alarms=0))
    assert [(each["type"], each["status"]) for each in status["conditions"]] == [
        ("Ready", "True"),
        ("Progressing", "False"),
        ("Degraded", "False"),
    ]
    figures = {name: status[name] for name in ("threads", "processes", "links", "alarms", "revision")}
    assert figures == {"threads": 1200, "processes": 7, "links": "2/2", "alarms": 2, "revision": 7}


@pytest.mark.parametrize(
    ("links", "shown"),
    [
        ([[up(EAST), down(WEST)], [down(EAST), down(WEST)]], "1/2"),
        ([[down(EAST)], [down(EAST), up(WEST)]], "1/2"),
        ([[suspended(EAST), suspended(WEST)], []], "0/2"),
        ([[], []], "0/2"),
    ],
    ids=["one", "each by one", "suspended", "untried"],
)
def test_a_link_counts_that_one_pod_has_up(links, shown):
    assert status_of(*(told(*each) for each in links))["links"] == shown


def test_a_link_that_is_up():
    status = routerlink_status(WEST, [told(up(WEST, 1234)), told(up(WEST, 1, "far-router-1"))], NOW)
    assert [(each["type"], each["status"], each["reason"]) for each in status["conditions"]] == [
        ("Ready", "True", "Applied"),
        ("LinkDown", "False", "Up"),
        ("Suspended", "False", "NotSuspended"),
    ]
    figures = {name: status[name] for name in ("state", "router", "waiting")}
    assert figures == {"state": "Up", "router": "far-router-0, far-router-1", "waiting": 1200}


def test_a_link_that_no_pod_has_up_tells_why():
    status = routerlink_status(WEST, [told(down(WEST)), told(down(WEST, 70))], NOW)
    assert brief(status) == ("True", "Applied")
    assert said(status, "LinkDown") == ("True", "NotReached", f"{REFUSED}; it is tried again and again")
    assert (status["state"], status["waiting"], "router" in status) == ("Down", 70, False)


def test_a_link_that_one_pod_has_up_is_not_down():
    status = routerlink_status(WEST, [told(down(WEST)), told(up(WEST))], NOW)
    verdict = said(status, "LinkDown")
    assert verdict[:2] == ("False", "UpInPart")
    assert verdict.message == f"1 of 2 pods have it; the others send by them: {REFUSED}"
    assert status["state"] == "Up"


def test_a_suspended_link_is_not_down():
    status = routerlink_status(WEST, [told(suspended(WEST)), told()], NOW)
    assert brief(status, "LinkDown") == ("False", "Suspended")
    assert brief(status, "Suspended") == ("True", "Suspended")
    assert status["state"] == "Suspended"


def test_a_link_that_was_not_tried_yet_is_unknown():
    status = routerlink_status(WEST, [told()], NOW)
    assert brief(status, "LinkDown") == brief(status, "Suspended") == ("Unknown", "NotTried")
    assert "state" not in status


def test_events_tell_of_a_link_that_is_down_and_of_its_return_and_not_of_a_suspension():
    well, lost, held = (routerlink_status(WEST, [told(each(WEST))], NOW) for each in (up, down, suspended))
    [event] = transitions(well, lost)
    assert (event.type, event.reason) == ("Warning", "NotReached")
    [event] = transitions(lost, well)
    assert (event.type, event.reason) == ("Normal", "Up")
    assert transitions(well, held) == []


def test_figures_stay_while_nobody_tells_them():
    before = status_of(told(up(EAST)), told())
    for views in ([SILENT], [view(result(CHAT), degradations=[NOT_CONFIGURED])]):
        status = status_of(*views, before=after(CHAT, before), now=LATER)
        assert all(status[name] == before[name] for name in ("threads", "processes", "links", "alarms"))
    before = routerlink_status(EAST, [told(up(EAST))], NOW)
    status = routerlink_status(after(EAST, before), [SILENT], LATER)
    assert (status["state"], status["router"], status["waiting"]) == ("Up", "far-router-0", 0)
    assert brief(status, "LinkDown") == brief(status, "Suspended") == ("Unknown", "ServiceUnreachable")


def test_the_same_knowledge_gives_the_same_status():
    views = [told(up(EAST), down(WEST)), told(up(EAST))]
    before = status_of(*views)
    assert status_of(*views, before=after(CHAT, before), now=LATER) == before
    before = routerlink_status(WEST, views, NOW)
    assert routerlink_status(after(WEST, before), views, LATER) == before


def test_they_are_as_the_schema_has_them():
    RouterStatus.model_validate(status_of(told(up(EAST)), told()))
    RouterStatus.model_validate(router_status(CHAT, Workload(), [], 0, NOW))
    for views in ([told(up(WEST))], [told(down(WEST))], [told(suspended(WEST))], [told()], [SILENT], []):
        RouterLinkStatus.model_validate(routerlink_status(WEST, views, NOW))


def test_a_refused_link_leaves_its_router_ready():
    refused = result(WEST, ("spec.domain", "is the Router's own"))
    views = [view(result(CHAT), result(EAST), refused, router=pb.GetRouterResponse())]
    assert brief(routerlink_status(WEST, views, NOW)) == ("False", "Refused")
    verdict = said(router_status(CHAT, WORKLOAD, views, 1, NOW), "Ready")
    assert verdict.status == "True"
    assert verdict.message.endswith("refused, each for the reason in its own conditions: west")


def test_a_link_without_its_router_says_so():
    fault = Fault("ParentMissing", "there is no Router main; apply one, or correct spec.routerRef.name")
    assert said(routerlink_status(WEST, [], NOW, fault), "Ready") == ("False", *fault)


def test_a_malformed_link_is_told_by_its_field():
    status = routerlink_status(changed(WEST, cost=0), [told(up(WEST))], NOW)
    assert brief(status) == ("False", "Invalid")
    assert said(status, "Ready").message.startswith("spec.cost: ")
