from forebay.pb.announcer.v1 import announcer_pb2
from forebay.pb.conduit.v1 import conduit_pb2
from forebay.pb.config.v1 import config_pb2
from forebay.pb.outfeed.v1 import outfeed_pb2
from forebay.pb.router.v1 import router_pb2
from forebay.pb.store.v1 import store_pb2
from forebay.runtime import Degradation, FieldViolation, ResourceResult
from forebay.runtime.configservice import result_message
from forebay_operator.pods.podview import PodView, viewed

RESULT = ResourceResult(
    "Peerfeed",
    "news",
    "one",
    "uid-1",
    4,
    (FieldViolation("spec.port", "is 0; give another"),),
    ("spec.new is unknown",),
)


def test_an_answer_is_taken_over():
    status = config_pb2.GetStatusResponse(
        revision=7,
        service="outfeed",
        version="0.1.0",
        ready=True,
        resources=[result_message(RESULT)],
        degradations=[config_pb2.Degradation(reason="SpillUnavailable", message="away", kind="Spill", name="main")],
    )
    peer = outfeed_pb2.PeerStatus(name="one")
    assert viewed("hub-outfeed-0", status, [peer]) == PodView(
        "hub-outfeed-0",
        ready=True,
        reachable=True,
        revision=7,
        version="0.1.0",
        results=(RESULT,),
        degradations=(Degradation("SpillUnavailable", "away", "Spill", "main"),),
        peers=(peer,),
    )


def test_what_is_said_of_one_resource_is_found_by_its_identity():
    peer = outfeed_pb2.PeerStatus(name="one", uid="uid-1")
    view = PodView("hub-outfeed-0", results=(RESULT,), peers=(peer,))
    assert view.result_of("Peerfeed", "uid-1") is RESULT
    assert view.peer_of("uid-1") is peer
    assert view.result_of("Spill", "uid-1") is view.result_of("Peerfeed", "uid-2") is view.peer_of("uid-2") is None


def test_a_queue_is_found_by_its_identity():
    queue = store_pb2.QueueStatus(name="orders", uid="uid-3")
    view = viewed("shop-store-0", config_pb2.GetStatusResponse(service="store", revision=1), queues=[queue])
    assert view.queues == (queue,)
    assert view.queue_of("uid-3") is queue
    assert view.queue_of("uid-4") is None


def test_a_forwarder_is_found_by_its_name():
    forwarder, queue = announcer_pb2.Forwarder(name="east"), announcer_pb2.GetQueueResponse(peers=7)
    status = config_pb2.GetStatusResponse(service="announcer", revision=1)
    view = viewed("swarm-announcer-0", status, forwarders=[forwarder], queue=queue)
    assert (view.forwarders, view.queue) == ((forwarder,), queue)
    assert view.forwarder_of("east") is forwarder
    assert view.forwarder_of("west") is None


def test_the_links_of_a_router_are_found_by_the_name_of_their_resource():
    links = [router_pb2.LinkStatus(name=name) for name in ("", "west", "east")]
    status = config_pb2.GetStatusResponse(service="router", revision=1)
    view = viewed("chat-router-0", status, router=router_pb2.GetRouterResponse(links=links))
    assert view.links_of("west") == [links[1]]
    assert view.links_of("north") == []
    assert viewed("chat-router-0", status).links_of("west") == []


def test_a_node_of_conduit_is_shown_as_it_says():
    status = config_pb2.GetStatusResponse(service="conduitnode", revision=1)
    answer = conduit_pb2.GetNodeResponse(peer_id=b"own", resources=3)
    assert viewed("press-conduitnode-0", status, conduit=answer).conduit == answer
    assert viewed("press-conduitnode-0", status).conduit is None
