import pytest

from forebay.cli.kubectl.problems import problems
from forebay.cli.kubectl.tree import Branch

from .bodies import condition, forwarder, outfeed, peerfeed, pod, resource, routerlink, waiting

READY = condition("Ready")


def found(resource, *pods):
    return [(each.title, each.condition.type, each.next_step) for each in problems([Branch(resource, pods)])]


def test_where_all_is_well_there_is_none():
    well = condition("Degraded", "False"), condition("Connected"), condition("Backlogged", "False")
    assert found(peerfeed("west", READY, *well), pod()) == []


@pytest.mark.parametrize(
    "unwell",
    [
        pytest.param(peerfeed("west", READY, condition("Connected", "False", "PeerPaused")), id="paused by wish"),
        pytest.param(peerfeed("west", READY, condition("Connected", "Unknown", "NotTried")), id="not tried yet"),
        pytest.param(peerfeed("west", condition("Ready", "Unknown", "ServiceNotReady")), id="told of its Outfeed"),
        pytest.param(resource("Spill", "main", condition("Ready", "Unknown", "Unused")), id="unused"),
    ],
)
def test_what_needs_nobody_is_no_problem(unwell):
    assert found(unwell) == []


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(condition("Connected", "False", "NotReached"), id="not connected"),
        pytest.param(condition("AuthFailed"), id="login"),
        pytest.param(condition("Backlogged"), id="backlog"),
    ],
)
def test_a_peer_in_trouble_is_looked_at_through_its_service(told):
    assert found(peerfeed("west", READY, told)) == [
        ("Peerfeed/west", told["type"], "kubectl forebay peers hub west -n news")
    ]


def test_a_disabled_forwarder_is_looked_at_through_its_service():
    disabled = condition("Disabled", "True", "NameUnknown")
    assert found(forwarder("west", READY, disabled)) == [
        ("Forwarder/west", "Disabled", "kubectl forebay forwarders swarm -n news")
    ]


def test_a_link_that_is_down_is_looked_at_through_its_routers():
    down = condition("LinkDown", "True", "NotReached")
    assert found(routerlink("west", READY, down)) == [
        ("RouterLink/west", "LinkDown", "kubectl forebay threads chat -n news --routers")
    ]


def test_a_suspension_ends_by_itself_and_is_no_problem():
    assert found(forwarder("west", READY, condition("Suspended"), condition("Disabled", "False"))) == []


def test_what_was_refused_is_described():
    refused = condition("Ready", "False", "Invalid")
    assert found(peerfeed("west", refused)) == [("Peerfeed/west", "Ready", "kubectl describe peerfeed west -n news")]


def test_what_is_paused_can_be_resumed():
    step = "kubectl annotate outfeed hub -n news forebay.dev/paused-"
    assert found(outfeed("hub", READY, condition("Paused"))) == [("Outfeed/hub", "Paused", step)]


def test_a_change_of_what_is_paused_waits_and_is_no_problem():
    waiting = outfeed("hub", READY, condition("Paused"), generation=3, observed=2)
    assert [kind for _, kind, _ in found(waiting)] == ["Paused"]


def test_what_nobody_has_looked_at_leads_to_the_operator():
    [(_, _, step)] = found(resource("Spill", "main"))
    assert step == "kubectl get pods --all-namespaces --selector=app.kubernetes.io/name=forebay-operator"


def test_a_degraded_service_is_told():
    assert [title for title, *_ in found(outfeed("hub", READY, condition("Degraded")))] == ["Outfeed/hub"]


@pytest.mark.parametrize(
    ("status", "step"),
    [
        pytest.param({}, "kubectl logs hub-outfeed-0 -n news", id="not ready"),
        pytest.param({"phase": "Pending"}, "kubectl describe pod hub-outfeed-0 -n news", id="pending"),
        pytest.param(
            {"containerStatuses": waiting("CrashLoopBackOff")},
            "kubectl logs hub-outfeed-0 -n news --previous",
            id="crashing",
        ),
    ],
)
def test_a_pod_comes_before_the_resource_that_it_explains(status, step):
    unwell = outfeed("hub", condition("Ready", "False"))
    first, second = found(unwell, pod(ready="False", **status))
    assert first == ("Pod/hub-outfeed-0", "Ready", step)
    assert second[0] == "Outfeed/hub"
