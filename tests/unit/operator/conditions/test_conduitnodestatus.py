"""Statuses of ConduitNodes."""

from forebay.api.v1alpha1.status import ConduitNodeStatus
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay_operator.conditions import Fault, conduitnode_status
from manifests import conduitnode

from .known import LATER, NOT_CONFIGURED, NOW, SILENT, after, brief, pod, result, view, workload

NODE = conduitnode()
PODS = [pod(f"main-conduitnode-{number}") for number in range(2)]
WORKLOAD = workload(*PODS, replicas=2)


def told(own, *peers, resources=3, undelivered=0):
    """A pod with an id that has sessions with peers, and everything in force."""
    found = [pb.PeerStatus(peer_id=peer) for peer in peers]
    answer = pb.GetNodeResponse(peer_id=own, peers=found, resources=resources, undelivered=undelivered)
    return view(result(NODE), conduit=answer, revision=7)


def status_of(*views, before=NODE, now=NOW, fault=None):
    return conduitnode_status(before, WORKLOAD, views, 7, now, fault)


def figures(status):
    return {name: status.get(name) for name in ("peers", "resources", "undelivered", "revision")}


def test_a_node_that_is_well():
    status = status_of(
        told(b"0", b"1", b"a", b"b", resources=1234), told(b"1", b"0", b"a", resources=1200, undelivered=12)
    )
    assert [(each["type"], each["status"]) for each in status["conditions"]] == [
        ("Ready", "True"),
        ("Progressing", "False"),
        ("Degraded", "False"),
    ]
    assert figures(status) == {"peers": 2, "resources": 1200, "undelivered": 12, "revision": 7}
    assert ConduitNodeStatus.model_validate(status).peers == 2


def test_samples_that_did_not_arrive_are_those_of_all_pods():
    assert status_of(told(b"0", undelivered=70), told(b"1", undelivered=71))["undelivered"] == 140


def test_figures_stay_while_no_pod_answers_or_none_is_configured():
    before = after(NODE, status_of(told(b"0", b"a")))
    for views in ((SILENT,), (view(degradations=[NOT_CONFIGURED]),)):
        assert figures(status_of(*views, before=before, now=LATER)) == {
            "peers": 1,
            "resources": 3,
            "undelivered": 0,
            "revision": 7,
        }
    assert figures(status_of(SILENT)) == {"peers": None, "resources": None, "undelivered": None, "revision": 7}


def test_what_holds_it_up_is_its_reason():
    assert brief(status_of(fault=Fault("SpillMissing", "there is no Spill"))) == ("False", "SpillMissing")
