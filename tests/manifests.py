"""Manifests of services and what belongs to them, for tests that read configurations."""

from uuid import NAMESPACE_DNS, uuid5

from forebay.api import read_objects
from forebay.outfeed.peering.peeroptions import PeerOptions, options

API = "forebay.dev/v1alpha1"
NAMESPACE = "news"


def manifest(kind: str, name: str, spec: dict, **metadata) -> dict:
    """A resource with an identity of its own."""
    uid = str(uuid5(NAMESPACE_DNS, f"{kind}.{name}"))
    head = {"name": name, "namespace": NAMESPACE, "uid": uid, "generation": 1, **metadata}
    return {"apiVersion": API, "kind": kind, "metadata": head, "spec": spec}


def spill(**spec) -> dict:
    return manifest("Spill", "main", spec or {"url": "redis://127.0.0.1:6379/0"})


def outfeed(name: str = "main", **spec) -> dict:
    return manifest("Outfeed", name, {"spillRef": {"name": "main"}, **spec})


def peerfeed(name: str = "peer", **spec) -> dict:
    place = {} if "target" in spec else {"hosts": [f"{name}.example"]}
    return manifest("Peerfeed", name, {"outfeedRef": {"name": "main"}, **place, **spec})


def store(name: str = "main", **spec) -> dict:
    return manifest("Store", name, spec)


def storequeue(name: str = "orders", **spec) -> dict:
    return manifest("StoreQueue", name, {"storeRef": {"name": "main"}, **spec})


def announcer(name: str = "main", **spec) -> dict:
    return manifest("Announcer", name, spec)


def forwarder(name: str = "upstream", **spec) -> dict:
    return manifest("Forwarder", name, {"announcerRef": {"name": "main"}, "url": f"udp://{name}.example:1", **spec})


def router(name: str = "main", **spec) -> dict:
    return manifest("Router", name, spec)


def routerlink(name: str = "upstream", **spec) -> dict:
    place = {"domain": f"{name}.example", "addresses": [f"{name}.example:7720"]}
    return manifest("RouterLink", name, {"routerRef": {"name": "main"}, **place, **spec})


def conduitnode(name: str = "main", **spec) -> dict:
    return manifest("ConduitNode", name, spec)


def peer_options(name: str = "peer", **spec) -> PeerOptions:
    """The options of a sound peer."""
    reading = read_objects([spill(), outfeed(), peerfeed(name, **spec)])[2]
    assert not reading.violations, reading.violations
    return options(reading.resource, None)
