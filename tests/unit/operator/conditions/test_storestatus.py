"""Statuses of Stores and of their queues."""

from dataclasses import replace

import pytest

from forebay.api.v1alpha1.status import StoreQueueStatus, StoreStatus
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime import Degradation
from forebay_operator.conditions import Fault, Workload, store_status, storequeue_status, transitions
from forebay_operator.conditions.storestatus import FIGURES
from manifests import store, storequeue

from .known import LATER, NOT_CONFIGURED, NOW, SILENT, after, brief, changed, result, said, view, workload

SHOP, ORDERS, RETURNS = store(), storequeue("orders"), storequeue("returns")


def queue(resource, state=pb.QUEUE_STATE_RUNNING, **fields):
    """How a service says that a queue fares."""
    metadata = resource["metadata"]
    return pb.QueueStatus(name=metadata["name"], uid=metadata["uid"], state=state, **fields)


def told(*queues, revision=7):
    """A pod that has everything in force."""
    return view(result(SHOP), result(ORDERS), result(RETURNS), queues=queues, revision=revision)


BUSY = queue(ORDERS, ready=1234, unacked=56, consumers=2)
ANSWER = told(BUSY, queue(RETURNS))


def test_a_store_that_is_well():
    status = store_status(SHOP, workload(), [ANSWER], 7, NOW)
    assert [(each["type"], each["status"]) for each in status["conditions"]] == [
        ("Ready", "True"),
        ("Progressing", "False"),
        ("Degraded", "False"),
    ]
    assert (status["observedGeneration"], status["revision"]) == (1, 7)
    assert (status["queues"], status["messages"]) == ("2/2", 1300)


def test_a_queue_that_is_well():
    status = storequeue_status(ORDERS, [ANSWER], NOW)
    assert [each["type"] for each in status["conditions"]] == ["Ready"]
    assert brief(status) == ("True", "Applied")
    assert (status["ready"], status["unacknowledged"], status["consumers"]) == (1200, 56, 2)


MIRRORED = changed(SHOP, mirrors=2)
COPY = replace(view(result(SHOP), result(ORDERS), result(RETURNS), revision=7), name="main-store-2")


def mirrored(*members):
    """What the pods of a store say: one that keeps a copy, and the primary."""
    return COPY, replace(ANSWER, name="main-store-1", members=members)


def trio():
    """Three pods that are ready."""
    return workload(replicas=3)


def test_a_store_with_mirrors_tells_who_is_primary_and_who_may_be():
    views = mirrored("main-store-1", "main-store-2")
    status = store_status(MIRRORED, trio(), views, 7, NOW)
    assert (status["primary"], status["members"]) == ("main-store-1", ["main-store-1", "main-store-2"])
    assert (status["inSync"], status["queues"], status["messages"]) == ("2/3", "2/2", 1300)
    StoreStatus.model_validate(status)


def test_what_a_primary_told_stays_while_there_is_none():
    before = store_status(MIRRORED, trio(), mirrored("main-store-1", "main-store-2"), 7, NOW)
    for views in ((COPY,), (SILENT,), ()):
        status = store_status(after(MIRRORED, before), trio(), views, 7, LATER)
        assert {name: status[name] for name in FIGURES} == {name: before[name] for name in FIGURES}
    assert not set(FIGURES) & set(store_status(MIRRORED, trio(), (COPY,), 7, NOW))


def test_a_store_whose_mirrors_were_taken_away_tells_of_none():
    before = store_status(MIRRORED, trio(), mirrored("main-store-1"), 7, NOW)
    status = store_status(after(SHOP, before), workload(), [ANSWER], 7, LATER)
    assert not {"primary", "members", "inSync"} & set(status)


def test_a_store_without_all_its_mirrors_is_degraded():
    missing = Degradation("MirrorsMissing", "main-store-0 cannot go on if this pod is gone")
    copy, primary = mirrored("main-store-1", "main-store-2")
    views = (copy, replace(primary, degradations=(missing,)))
    verdict = said(store_status(MIRRORED, trio(), views, 7, NOW), "Degraded")
    assert verdict == ("True", "MirrorsMissing", f"MirrorsMissing: {missing.message}")


def test_they_are_as_the_schema_has_them():
    StoreStatus.model_validate(store_status(SHOP, workload(), [ANSWER], 7, NOW))
    StoreStatus.model_validate(store_status(SHOP, Workload(), [], 0, NOW))
    StoreQueueStatus.model_validate(storequeue_status(ORDERS, [ANSWER], NOW))
    StoreQueueStatus.model_validate(storequeue_status(ORDERS, [], NOW))


def test_the_same_knowledge_gives_the_same_status():
    before = store_status(SHOP, workload(), [ANSWER], 7, NOW)
    assert store_status(after(SHOP, before), workload(), [ANSWER], 7, LATER) == before
    before = storequeue_status(ORDERS, [ANSWER], NOW)
    assert storequeue_status(after(ORDERS, before), [ANSWER], LATER) == before


def test_figures_stay_while_the_service_is_away_but_its_consumers():
    status = storequeue_status(after(ORDERS, storequeue_status(ORDERS, [ANSWER], NOW)), [SILENT], LATER)
    assert (status["ready"], status["unacknowledged"], status["consumers"]) == (1200, 56, 0)
    assert brief(status) == ("True", "Applied")
    status = store_status(after(SHOP, store_status(SHOP, workload(), [ANSWER], 7, NOW)), workload(), [SILENT], 7, NOW)
    assert (status["queues"], status["messages"]) == ("2/2", 1300)
    assert brief(status) == ("False", "ServiceUnreachable")


def test_a_queue_that_crashed_is_not_ready_by_its_cause():
    crashed = queue(ORDERS, pb.QUEUE_STATE_CRASHED, reason="the journal of orders can't be written (EIO)")
    status = storequeue_status(ORDERS, [told(crashed)], NOW)
    assert brief(status) == ("False", "Crashed")
    assert said(status, "Ready").message.startswith("the journal of orders can't be written (EIO); it is started again")
    assert store_status(SHOP, workload(), [told(crashed, queue(RETURNS))], 7, NOW)["queues"] == "1/2"


def test_a_queue_that_is_read_from_disk_will_be_ready_by_itself():
    status = storequeue_status(ORDERS, [told(queue(ORDERS, pb.QUEUE_STATE_RECOVERING))], NOW)
    assert brief(status) == ("False", "Recovering")
    assert transitions({}, status) == []
    [event] = transitions(storequeue_status(ORDERS, [ANSWER], NOW), status)
    assert (event.type, event.reason) == ("Normal", "Recovering")


def test_a_refused_queue_says_why_whatever_it_does():
    refused = result(ORDERS, ("spec.implementation", "own is not known; give variable"))
    crashed = queue(ORDERS, pb.QUEUE_STATE_CRASHED, reason="the disk is gone")
    status = storequeue_status(ORDERS, [view(refused, queues=[crashed])], NOW)
    assert brief(status) == ("False", "Refused")
    assert said(status, "Ready").message == (
        "spec.implementation: own is not known; give variable; what was applied before stays in force"
    )


def test_refused_queues_are_named_by_their_store_which_is_ready():
    refused = result(ORDERS, ("spec.implementation", "own is not known; give variable"))
    verdict = said(store_status(SHOP, workload(), [view(result(SHOP), refused)], 1, NOW), "Ready")
    assert verdict.status == "True"
    assert verdict.message.endswith("refused, each for the reason in its own conditions: orders")


@pytest.mark.parametrize("views", [(), (SILENT,), (view(degradations=[NOT_CONFIGURED]),)])
def test_a_new_queue_waits_for_its_store(views):
    verdict = said(storequeue_status(ORDERS, views, NOW), "Ready")
    assert verdict[:2] == ("Unknown", "ServiceNotReady")
    assert "waits for the Store main" in verdict.message


def test_a_queue_without_its_store_says_so():
    fault = Fault("ParentMissing", "there is no Store main; apply one, or correct spec.storeRef.name")
    assert said(storequeue_status(ORDERS, [], NOW, fault), "Ready") == ("False", *fault)


def test_a_malformed_queue_is_told_by_its_field():
    status = storequeue_status(changed(ORDERS, maxLength=0), [told(BUSY)], NOW)
    assert brief(status) == ("False", "Invalid")
    assert said(status, "Ready").message == (
        "spec.maxLength: 0 is below 1; give 1 to 1000000000000; what was applied before stays in force"
    )
