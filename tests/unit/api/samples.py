"""Manifests that tests begin with."""

from copy import deepcopy

SPILL = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "Spill",
    "metadata": {"name": "spill"},
    "spec": {"managed": {}},
}
OUTFEED = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "Outfeed",
    "metadata": {"name": "main"},
    "spec": {"spillRef": {"name": "spill"}},
}
PEERFEED = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "Peerfeed",
    "metadata": {"name": "peer-b"},
    "spec": {"outfeedRef": {"name": "main"}, "hosts": ["news.example.com"]},
}
COMPACTION = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "Compaction",
    "metadata": {"name": "nightly"},
    "spec": {"job": "compact-spill", "targetRef": {"kind": "Spill", "name": "spill"}},
}
STORE = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "Store",
    "metadata": {"name": "main"},
    "spec": {},
}
STORE_QUEUE = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "StoreQueue",
    "metadata": {"name": "orders"},
    "spec": {"storeRef": {"name": "main"}},
}
ANNOUNCER = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "Announcer",
    "metadata": {"name": "main"},
    "spec": {},
}
FORWARDER = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "Forwarder",
    "metadata": {"name": "upstream"},
    "spec": {"announcerRef": {"name": "main"}, "url": "udp://tracker.example.com:6969"},
}
ROUTER = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "Router",
    "metadata": {"name": "main"},
    "spec": {},
}
ROUTER_LINK = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "RouterLink",
    "metadata": {"name": "plant"},
    "spec": {"routerRef": {"name": "main"}, "domain": "plant", "addresses": ["plant.example.com:7720"]},
}
CONDUIT_NODE = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "ConduitNode",
    "metadata": {"name": "main"},
    "spec": {},
}


def changed(manifest, path, value):
    """A copy with another value at a path such as `spec.noCheck.low`; None removes it."""
    copy = deepcopy(manifest)
    *parents, last = path.split(".")
    inner = copy
    for parent in parents:
        inner = inner.setdefault(parent, {})
    inner[last] = value
    if value is None:
        del inner[last]
    return copy
