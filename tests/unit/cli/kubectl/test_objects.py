from datetime import timedelta

import pytest

from forebay.cli.kubectl.objects import shortly

from .bodies import (
    NOW,
    announcer,
    compaction,
    condition,
    conduitnode,
    forwarder,
    outfeed,
    peerfeed,
    pod,
    resource,
    router,
    routerlink,
    store,
    storequeue,
    waiting,
)


def test_ready_is_the_condition_of_the_newest_form():
    found = outfeed("hub", condition("Ready", "False", "NameTaken", "rename it")).ready
    assert (found.status, found.reason, found.message) == ("False", "NameTaken", "rename it")


def test_what_nobody_has_looked_at_is_unknown():
    assert (outfeed().ready.status, outfeed().ready.reason) == ("Unknown", "NotSeen")


def test_a_change_that_is_not_seen_yet_is_unknown():
    found = outfeed("hub", condition("Ready"), generation=3, observed=2).ready
    assert (found.status, found.reason) == ("Unknown", "ChangePending")


def test_figures_are_those_that_are_there():
    assert outfeed("hub", condition("Ready"), peers="2/3", backlog=0).figures == {"peers": "2/3", "backlog": 0}
    services = [{"kind": "Outfeed", "name": "hub", "uid": "1"}]
    assert resource("Spill", "main", condition("Ready"), services=services).figures == {"services": 1}
    assert peerfeed().figures == {}
    figures = {"queues": "2/2", "messages": 7, "revision": 3}
    assert store("shop", condition("Ready"), **figures).figures == figures
    figures = {"ready": 5, "unacknowledged": 2, "consumers": 1}
    assert storequeue("orders", condition("Ready"), **figures).figures == figures
    figures = {"peers": 40, "torrents": 7, "forwarders": "1/2", "queued": 3, "fill": 1, "revision": 3}
    assert announcer("swarm", condition("Ready"), **figures).figures == figures
    figures = {"state": "Disabled", "answers": 12, "meanMilliseconds": 35}
    assert forwarder("west", condition("Ready"), **figures).figures == figures
    figures = {"threads": 12, "processes": 4, "links": "1/2", "alarms": 0, "revision": 3}
    assert router("chat", condition("Ready"), **figures).figures == figures
    figures = {"state": "Up", "router": "east-router-0", "waiting": 0}
    assert routerlink("west", condition("Ready"), **figures).figures == figures
    figures = {"peers": 5, "resources": 12, "undelivered": 0, "revision": 3}
    assert conduitnode("press", condition("Ready"), **figures).figures == figures


def test_a_compaction_tells_its_last_run_and_its_next():
    run = {"state": "Running", "created": "2026-01-31T12:00:00Z"}
    assert compaction("a", condition("Ready"), lastRun=run).figures == {"last run": "Running 2026-01-31T12:00:00Z"}
    run |= {"state": "Failed", "started": "2026-01-31T12:00:01Z", "ended": "2026-01-31T12:01:00Z"}
    run |= {"figures": {"entriesIn": 9, "entriesOut": 6, "seconds": 1.5}, "failures": ["east: promoted"]}
    run |= {"failuresLeft": 2}
    assert compaction("a", condition("Ready"), lastRun=run, nextRun="2026-02-01T02:00:00Z").figures == {
        "last run": "Failed 2026-01-31T12:01:00Z",
        "entries in": 9,
        "entries out": 6,
        "not done": 3,
        "next run": "2026-02-01T02:00:00Z",
    }


def test_a_pod_belongs_to_a_resource():
    assert pod().owner == ("Outfeed", "hub")
    assert pod("swarm-announcer-0", "announcer", "swarm").owner == ("Announcer", "swarm")
    assert pod("chat-router-2", "router", "chat").owner == ("Router", "chat")
    assert pod("press-conduitnode-1", "conduitnode", "press").owner == ("ConduitNode", "press")
    assert pod("main-valkey-0", "valkey", "main").owner == ("Spill", "main")
    assert pod("purge-1", "purge", "main").owner == ("", "main")


def test_a_pod_that_waits_tells_why():
    found = pod(ready="False", phase="Pending", containerStatuses=waiting("ErrImagePull", "no such image"))
    assert (found.phase, found.ready.message, found.running) == ("ErrImagePull", "no such image", False)
    assert found.restarts == 3


def test_a_pod_without_a_node_tells_why():
    unscheduled = condition("PodScheduled", "False", "Unschedulable", "no node has room")
    found = pod(phase="Pending", conditions=[unscheduled])
    assert (found.phase, found.ready.status, found.ready.message) == ("Pending", "False", "no node has room")


def test_a_pod_that_runs_and_is_not_ready_can_be_called():
    found = pod(ready="False")
    assert (found.running, found.ready.status, found.ready.message) == (True, "False", "it is not ready")


def test_a_pod_that_is_deleted_does_not_run():
    found = pod()
    found.body["metadata"]["deletionTimestamp"] = "2026-01-31T13:00:00Z"
    assert (found.phase, found.running) == ("Terminating", False)


def test_age_counts_from_the_creation():
    assert outfeed().age(NOW) == timedelta(hours=3)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-5, "0s"), (119, "119s"), (120, "2m"), (7199, "119m"), (7200, "2h"), (172_799, "47h"), (172_800, "2d")],
)
def test_spans_are_told_shortly(seconds, text):
    assert shortly(timedelta(seconds=seconds)) == text
