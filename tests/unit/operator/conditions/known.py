"""What statuses are made of, for their tests."""

from datetime import UTC, datetime, timedelta

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.runtime import Degradation, FieldViolation, ResourceResult
from forebay_operator.conditions import Workload
from forebay_operator.conditions.condition import verdict_of
from forebay_operator.pods import PodView

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
STAMP = "2026-01-01T12:00:00Z"
LATER = NOW + timedelta(hours=1)
SPILL_AWAY = Degradation("SpillUnavailable", "Redis is away", "Spill", "main")
NOT_CONFIGURED = Degradation("NotConfigured", "there is no valid configuration yet")


def result(resource, *violations, warnings=(), generation=None):
    """What a service says of a resource; violations as (field, description)."""
    metadata = resource["metadata"]
    return ResourceResult(
        resource["kind"],
        metadata["namespace"],
        metadata["name"],
        metadata["uid"],
        metadata["generation"] if generation is None else generation,
        tuple(FieldViolation(*violation) for violation in violations),
        tuple(warnings),
    )


def view(
    *results,
    degradations=(),
    peers=(),
    queues=(),
    forwarders=(),
    queue=None,
    router=None,
    conduit=None,
    revision=1,
    problem="",
):
    """A pod that answered."""
    return PodView(
        "hub-outfeed-0",
        ready=True,
        reachable=True,
        problem=problem,
        revision=revision,
        version="0.1.0",
        results=results,
        degradations=tuple(degradations),
        peers=tuple(peers),
        queues=tuple(queues),
        forwarders=tuple(forwarders),
        queue=queue,
        router=router,
        conduit=conduit,
    )


SILENT = PodView("hub-outfeed-0", problem="the service at 192.0.2.1:7119 answered UNAVAILABLE; see the pod's log")


def peer(peerfeed, state=pb.PEER_STATE_CONNECTED, *, connections=0, backlog=0, age=None, **fields):
    """How a service says that a peer fares; `age` of its oldest waiting article in seconds."""
    metadata = peerfeed["metadata"]
    status = pb.PeerStatus(name=metadata["name"], uid=metadata["uid"], state=state, **fields)
    for number in range(connections):
        status.connections.add(id=number)
    status.backlog.entries = backlog
    if age is not None:
        status.oldest_queued_age.FromTimedelta(timedelta(seconds=age))
    return status


def pod(name="hub-outfeed-0", *, ready=True, **status):
    """A Pod that runs."""
    conditions = [{"type": "Ready", "status": str(ready)}]
    body = {"metadata": {"name": name, "namespace": "news", "uid": f"uid-{name}"}}
    return body | {"status": {"phase": "Running", "conditions": conditions, **status}}


def container(**fields):
    """One status of a container that is not ready."""
    return {"name": "outfeed", "image": "forebay:1", "ready": False, "restartCount": 0, "state": {}, **fields}


def workload(*pods, replicas=1, **status):
    """A StatefulSet with its Pods; one that is ready, where none is given."""
    metadata = {"name": "hub-outfeed", "namespace": "news", "generation": 1}
    statefulset = {"metadata": metadata, "spec": {"replicas": replicas}, "status": status}
    return Workload(statefulset, pods or (pod(),))


def after(resource, status):
    """The resource with its status."""
    return {**resource, "status": status}


def changed(resource, **spec):
    """The resource after an edit: another generation."""
    metadata = {**resource["metadata"], "generation": resource["metadata"]["generation"] + 1}
    return {**resource, "metadata": metadata, "spec": {**resource["spec"], **spec}}


def said(status, kind):
    """What a condition of a status says."""
    return verdict_of(status["conditions"], kind)


def brief(status, kind="Ready"):
    """Status and reason of a condition."""
    return said(status, kind)[:2]
