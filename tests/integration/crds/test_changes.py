"""Changes that would lose something are refused; others are taken."""

import json
from itertools import count

import pytest

from kubeaccess import KubectlError

FROM_SECRET = {"urlFrom": {"secretRef": {"name": "redis", "key": "url"}}}


@pytest.fixture(scope="module")
def changed(apiserver):
    """Creates a resource with a spec, then changes it to another."""
    namespace, numbers = apiserver.namespace("changes"), count()

    def change(kind, *specs):
        head = {"apiVersion": "forebay.dev/v1alpha1", "kind": kind, "metadata": {"name": f"it-{next(numbers)}"}}
        for spec in specs:
            apiserver.admin.apply({**head, "spec": spec}, namespace=namespace)

    return change


def outfeed(size="10GiB", spill="main"):
    return {"spillRef": {"name": spill}, "storage": {"size": size}}


def peerfeed(outfeed="hub", host="a"):
    return {"outfeedRef": {"name": outfeed}, "hosts": [host]}


def queue(**spec):
    return {"storeRef": {"name": "main"}, **spec}


def forwarder(announcer="main", **spec):
    return {"announcerRef": {"name": announcer}, "url": "udp://a:1", **spec}


def managed(storage="2GiB"):
    return {"managed": {"storage": storage}}


@pytest.mark.parametrize(
    ("kind", "old", "new", "words"),
    [
        ("Outfeed", outfeed(), outfeed(spill="b"), "spec.spillRef: Forbidden: can't be changed, since the backlogs of"),
        ("Outfeed", outfeed(), outfeed("9GiB"), "spec.storage.size: Forbidden: can't be lowered, since volumes can't"),
        ("Outfeed", outfeed(), outfeed("10GB"), "spec.storage.size: Forbidden: can't be lowered"),
        ("Outfeed", outfeed("30GiB"), {"spillRef": {"name": "main"}}, "spec.storage.size: Forbidden: can't be lowered"),
        ("Peerfeed", peerfeed(), peerfeed("b"), "spec.outfeedRef: Forbidden: can't be changed, since its backlog"),
        (
            "Store",
            {"storage": {"size": "2GiB"}},
            {"storage": {"size": "1GiB"}},
            "spec.storage.size: Forbidden: can't be",
        ),
        ("StoreQueue", queue(), {"storeRef": {"name": "b"}}, "spec.storeRef: Forbidden: can't be changed, since its"),
        ("StoreQueue", queue(), queue(durable=False), "spec.durable: Forbidden: can't be changed, since its messages"),
        ("StoreQueue", queue(maxPriority=9), queue(), "spec.maxPriority: Forbidden: can't be changed, since its"),
        ("StoreQueue", queue(), queue(implementation="own"), "spec.implementation: Forbidden: can't be changed"),
        (
            "Announcer",
            {"spillRef": {"name": "a"}},
            {"spillRef": {"name": "b"}},
            "spec.spillRef: Forbidden: can't be changed or removed once it is given, since the jobs that wait lie",
        ),
        ("Announcer", {"spillRef": {"name": "a"}}, {}, "spec.spillRef: Forbidden: can't be changed or removed"),
        ("Announcer", {"storage": {"size": "2GiB"}}, {}, "spec.storage.size: Forbidden: can't be lowered"),
        ("Forwarder", forwarder(), forwarder("b"), "spec.announcerRef: Forbidden: can't be changed, since its jobs"),
        ("Spill", managed(), managed(1024**3), "spec.managed.storage: Forbidden: can't be lowered"),
        ("Spill", managed(), {"url": "redis://a"}, "spec.managed: Forbidden: can't be added or removed, since the"),
        ("Spill", FROM_SECRET, managed(), "spec.managed: Forbidden: can't be added or removed"),
    ],
)
def test_change_is_refused(changed, kind, old, new, words):
    with pytest.raises(KubectlError) as caught:
        changed(kind, old, new)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("Outfeed", outfeed("10GB"), outfeed("10GiB")),
        ("Outfeed", outfeed("1024MiB"), outfeed("1GiB")),
        ("Outfeed", outfeed(10 * 1024**3), outfeed("11GiB")),
        ("Peerfeed", peerfeed(), peerfeed(host="b")),
        ("Store", {}, {"storage": {"size": "30GiB"}, "index": "disk", "fsync": {"mode": "none"}}),
        ("StoreQueue", queue(), queue(ttl="1m", maxLength=5, overflow="RejectPublish", bindings=["a.#"])),
        ("StoreQueue", queue(durable=True), queue(maxPriority=0, implementation="variable")),
        ("Announcer", {}, {"memory": "2GiB", "listeners": {"udp": {"enabled": False}}}),
        ("Announcer", {}, {"spillRef": {"name": "a"}, "forwarding": {"overflow": "spill"}}),
        ("Announcer", {"spillRef": {"name": "a"}}, {"spillRef": {"name": "a"}, "torrents": {"mode": "allow"}}),
        ("Forwarder", forwarder(), forwarder(url="http://a/announce?passkey=b", pause=True)),
        ("Spill", managed(), managed("16GiB")),
        ("Spill", {"url": "redis://a"}, {"url": "redis://b"}),
        ("Spill", {"url": "redis://a"}, FROM_SECRET),
    ],
    ids=json.dumps,
)
def test_change_is_taken(changed, kind, old, new):
    changed(kind, old, new)
