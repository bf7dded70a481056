import re
from datetime import UTC, datetime

import pytest

from fakekube import FakeKube
from forebay_operator.conditions import Event
from forebay_operator.errors import ForbiddenError, UnavailableError
from forebay_operator.kube.kinds import EVENT, OUTFEED
from forebay_operator.reconcile.eventbudget import MOST
from forebay_operator.reconcile.statuses import BATCH, Statuses, event_body, event_name
from operatorworld import outfeed

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def ready(status, reason="Applied"):
    condition = {"type": "Ready", "status": status, "reason": reason, "message": "so", "observedGeneration": 1}
    return {"observedGeneration": 1, "conditions": [{**condition, "lastTransitionTime": "2026-11-27T00:00:00Z"}]}


@pytest.fixture
def kube():
    return FakeKube()


@pytest.fixture
def statuses(kube):
    return Statuses(kube, lambda: NOW)


@pytest.fixture
def hub(kube):
    return kube.put(outfeed())


async def test_what_differs_is_written_and_told_once(kube, statuses, hub):
    for _ in range(2):
        await statuses.write(hub, ready("True"))
    assert kube.get(OUTFEED, "hub")["status"] == ready("True")
    assert len(kube.events()) == 1
    assert kube.requests["patch", "outfeeds/status"] == 1


async def test_one_that_is_gone_is_left_out(kube, statuses, hub):
    kube.remove("Outfeed", "news", "hub")
    await statuses.write(hub, ready("True"))
    assert kube.events() == []


async def test_a_namesake_is_not_written(kube, statuses, hub):
    kube.remove("Outfeed", "news", "hub")
    kube.put(outfeed())
    await statuses.write(hub, ready("True"))
    assert "status" not in kube.get(OUTFEED, "hub")


async def test_an_event_that_is_refused_holds_nothing_up(kube, statuses, hub):
    kube.fail("create", EVENT, ForbiddenError, 403)
    await statuses.write(hub, ready("True"))
    assert kube.get(OUTFEED, "hub")["status"] == ready("True")


async def test_one_that_fails_holds_no_other_up(kube, statuses, hub):
    far = kube.put(outfeed("far"))
    kube.fail("patch", OUTFEED, UnavailableError, 503)
    with pytest.raises(UnavailableError):
        await statuses.write_all([(hub, ready("True")), (far, ready("True"))])
    assert kube.get(OUTFEED, "far")["status"] == ready("True")
    await statuses.write(hub, ready("True"))
    assert kube.get(OUTFEED, "hub")["status"] == ready("True")


async def test_each_of_thousands_is_written(kube, statuses):
    hubs = [kube.put(outfeed(f"hub-{number}")) for number in range(3 * BATCH + 1)]
    await statuses.write_all((hub, ready("True")) for hub in hubs)
    assert kube.requests["patch", "outfeeds/status"] == len(hubs)


async def test_what_changes_again_and_again_is_told_a_few_times_and_written_each_time(kube, statuses, hub):
    for number in range(100):
        await statuses.write(hub, ready("True" if number % 2 else "False", "NotReached"))
    assert len(kube.events()) == MOST
    assert kube.requests["patch", "outfeeds/status"] == 100


@pytest.mark.parametrize("name", ["hub", "x" * 253, ".".join(["x" * 62] * 4)], ids=len)
def test_an_event_has_a_name_that_kubernetes_takes(name):
    found = event_name(name, "0" * 16)
    assert len(found) <= 253
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", found)


def test_an_event_tells_of_whom_and_by_whom(hub):
    body = event_body(hub, Event("Warning", "NameTaken", "rename it"), NOW)
    assert body["involvedObject"]["uid"] == hub["metadata"]["uid"]
    assert body["reportingComponent"] == "forebay-operator"
    assert (body["type"], body["reason"], body["message"]) == ("Warning", "NameTaken", "rename it")
