"""Statuses are kept as the operator writes them."""

import json

import pytest

from forebay.api.v1alpha1 import KINDS
from kubeaccess import KubectlError

READY = {
    "type": "Ready",
    "status": "True",
    "reason": "Applied",
    "message": "All is well:\nnothing to do.",
    "observedGeneration": 1,
    "lastTransitionTime": "2026-01-31T12:00:00Z",
}
RUN = {
    "name": "it-1-202611280200",
    "trigger": "Schedule",
    "generation": 1,
    "due": "2026-11-28T02:00:00Z",
    "state": "Running",
    "attempts": 1,
    "created": "2026-11-28T02:00:01Z",
    "message": "all is well",
    "figures": {"entriesIn": 12, "seconds": 1.5, "dropped": {"duplicate": 4}},
    "failures": ["east: segments of B were promoted or dropped meanwhile", 'west: "away"'],
    "failuresLeft": 3,
}
STATUSES = [
    (
        "spill",
        {"services": [{"kind": "Outfeed", "name": "hub", "uid": "6f-1"}], "serviceCount": 1, "backlog": 12},
        "1 12",
    ),
    ("outfeed", {"peers": "2/3", "backlog": 1200, "revision": 7}, "2/3 1200"),
    ("peerfeed", {"connections": 2, "backlog": 0}, "2 0"),
    ("store", {"queues": "2/3", "messages": 1200, "revision": 7}, "2/3 1200"),
    ("storequeue", {"ready": 12, "unacknowledged": 3, "consumers": 1}, "12 3"),
    (
        "announcer",
        {"peers": 1200, "torrents": 40, "forwarders": "1/2", "queued": 7, "fill": 1, "revision": 7},
        "40 1200",
    ),
    ("forwarder", {"state": "Disabled", "answers": 1200, "meanMilliseconds": 35}, "Disabled 1200"),
    (
        "compaction",
        {"lastRun": RUN, "earlierRuns": [RUN], "nextRun": "2026-11-29T02:00:00Z"},
        "Running 2026-11-29T02:00:00Z",
    ),
]
SPECS = {
    "spill": {"managed": {}},
    "outfeed": {"spillRef": {"name": "main"}},
    "peerfeed": {"outfeedRef": {"name": "hub"}, "hosts": ["a"]},
    "store": {},
    "storequeue": {"storeRef": {"name": "main"}},
    "announcer": {},
    "forwarder": {"announcerRef": {"name": "main"}, "url": "udp://a:1"},
    "compaction": {"job": "compact-spill", "targetRef": {"kind": "Spill", "name": "main"}},
}

NAMES = {name.lower(): name for name in KINDS}


@pytest.fixture(scope="module")
def namespace(apiserver):
    namespace = apiserver.namespace("status")
    for kind, spec in SPECS.items():
        head = {"apiVersion": "forebay.dev/v1alpha1", "kind": NAMES[kind], "metadata": {"name": "it"}}
        apiserver.admin.apply({**head, "spec": spec}, namespace=namespace)
    return namespace


def write(apiserver, namespace, kind, status):
    patch = json.dumps({"status": status})
    apiserver.admin.kubectl("patch", kind, "it", "-n", namespace, "--subresource=status", "--type=merge", "-p", patch)


@pytest.mark.parametrize(("kind", "figures", "shown"), STATUSES, ids=SPECS)
def test_status_is_kept_and_shown(apiserver, namespace, kind, figures, shown):
    status = {"observedGeneration": 1, "conditions": [READY], **figures}
    write(apiserver, namespace, kind, status)
    assert apiserver.admin.get(kind, "it", "-n", namespace)["status"] == status
    row = apiserver.admin.kubectl("get", kind, "it", "-n", namespace, "--no-headers").split()
    assert row[:-1] == ["it", "True", "Applied", *shown.split()]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ({"conditions": [READY, READY]}, "status.conditions[1]: Duplicate value"),
        ({"conditions": [{**READY, "status": "Perhaps"}]}, 'supported values: "True", "False", "Unknown"'),
        ({"conditions": [{"type": "Ready", "status": "True"}]}, "status.conditions[0].reason: Required value"),
        ({"backlog": -1}, "status.backlog"),
    ],
)
def test_status_that_is_none_is_refused(apiserver, namespace, status, words):
    with pytest.raises(KubectlError) as caught:
        write(apiserver, namespace, "peerfeed", status)
    assert words in str(caught.value)
