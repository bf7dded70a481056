"""Objects as the API server shows them."""

import base64
from datetime import UTC, datetime

from forebay.api.v1alpha1 import Announcer, Outfeed, Store
from forebay.cli.kubectl.cluster import as_model
from forebay.cli.kubectl.objects import Object, Pod, Resource

CREATED = "2026-01-31T12:00:00Z"
NOW = datetime(2026, 1, 31, 15, tzinfo=UTC)
API = "forebay.dev/v1alpha1"


def condition(kind, status="True", reason="Because", message="so it is"):
    return {"type": kind, "status": status, "reason": reason, "message": message}


def metadata(name, namespace="news", **more):
    return {"name": name, "namespace": namespace, "uid": f"uid-of-{name}", "creationTimestamp": CREATED, **more}


def resource(kind, name, *conditions, spec=None, namespace="news", generation=1, observed=1, **status):
    """Without conditions: one that nobody has looked at."""
    seen = {"observedGeneration": observed, "conditions": list(conditions), **status} if conditions else {}
    return Resource(
        {
            "apiVersion": API,
            "kind": kind,
            "metadata": metadata(name, namespace, generation=generation),
            "spec": spec or {},
            "status": seen,
        }
    )


def outfeed(name="hub", *conditions, spec=None, **more):
    return resource("Outfeed", name, *conditions, spec={"spillRef": {"name": "main"}, **(spec or {})}, **more)


def outfeed_model(**spec):
    return as_model(Outfeed, outfeed(spec=spec))


def peerfeed(name="west", *conditions, parent="hub", **more):
    return resource("Peerfeed", name, *conditions, spec={"outfeedRef": {"name": parent}}, **more)


def compaction(name="nightly", *conditions, target=("Spill", "main"), **more):
    spec = {"targetRef": dict(zip(("kind", "name"), target, strict=True))}
    return resource("Compaction", name, *conditions, spec=spec, **more)


def store(name="shop", *conditions, **more):
    return resource("Store", name, *conditions, **more)


def store_model(**spec):
    return as_model(Store, store(spec=spec))


def storequeue(name="orders", *conditions, parent="shop", **more):
    return resource("StoreQueue", name, *conditions, spec={"storeRef": {"name": parent}}, **more)


def announcer(name="swarm", *conditions, **more):
    return resource("Announcer", name, *conditions, **more)


def announcer_model(**spec):
    return as_model(Announcer, announcer(spec=spec))


def forwarder(name="upstream", *conditions, parent="swarm", **more):
    return resource("Forwarder", name, *conditions, spec={"announcerRef": {"name": parent}}, **more)


def router(name="chat", *conditions, **more):
    return resource("Router", name, *conditions, **more)


def routerlink(name="west", *conditions, parent="chat", **more):
    return resource("RouterLink", name, *conditions, spec={"routerRef": {"name": parent}}, **more)


def conduitnode(name="press", *conditions, **more):
    return resource("ConduitNode", name, *conditions, **more)


def pod(name="hub-outfeed-0", role="outfeed", instance="hub", ready="True", namespace="news", **more):
    labels = {"app.kubernetes.io/name": role, "app.kubernetes.io/instance": instance}
    status = {"phase": "Running", "conditions": [condition("Ready", ready)], **more}
    return Pod({"kind": "Pod", "metadata": metadata(name, namespace, labels=labels), "status": status})


def waiting(reason, message=""):
    """The status of containers that wait."""
    return [{"restartCount": 3, "state": {"waiting": {"reason": reason, "message": message}}}]


def secret(name, **files):
    data = {file: base64.b64encode(content).decode() for file, content in files.items()}
    return Object({"kind": "Secret", "metadata": metadata(name), "data": data})
