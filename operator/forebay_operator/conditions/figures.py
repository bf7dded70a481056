"""Figures of a status: rounded, so that what hardly changes is no change."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forebay.pb.announcer.v1 import announcer_pb2
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.pb.store.v1 import store_pb2
from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

EXACT_UP_TO = 100


def rounded(count: int) -> int:
    """The count with its first two digits where it is above 100."""
    return count if count <= EXACT_UP_TO else round(count, 2 - len(str(count)))


def as_before(resource: Body, names: Sequence[str]) -> Body:
    """Those of these figures that the old status has."""
    before = resource.get("status", {})
    return {name: before[name] for name in names if name in before}


def backlog(peers: Sequence[pb.PeerStatus]) -> int:
    """Articles that wait on Redis, rounded."""
    return rounded(sum(peer.backlog.entries for peer in peers))


def peers_text(views: Sequence["PodView"]) -> str:
    """Peers that are fed, of all, as `2/3`. One that is idle is: its connection comes with the next article."""
    peers = [peer for view in answering(views) for peer in view.peers]
    fed = sum(peer.state in (pb.PEER_STATE_CONNECTED, pb.PEER_STATE_IDLE) for peer in peers)
    return f"{fed}/{len(peers)}"


def queues_text(queues: Sequence[store_pb2.QueueStatus]) -> str:
    """Queues that are at work, of all, as `2/3`."""
    running = sum(queue.state == store_pb2.QUEUE_STATE_RUNNING for queue in queues)
    return f"{running}/{len(queues)}"


def messages(queues: Sequence[store_pb2.QueueStatus]) -> int:
    """Messages in queues, those that consumers hold among them, rounded."""
    return rounded(sum(queue.ready + queue.unacked for queue in queues))


def forwarders_text(forwarders: Sequence[announcer_pb2.Forwarder]) -> str:
    """Forwarders that get announces, of all, as `2/3`."""
    enabled = sum(each.condition == announcer_pb2.FORWARDER_CONDITION_ENABLED for each in forwarders)
    return f"{enabled}/{len(forwarders)}"


def links_text(views: Sequence["PodView"]) -> str:
    """RouterLinks that a pod at least has up, of all, as `2/3`."""
    told = answering(views)
    made = {result.name for view in told for result in view.results if result.kind == "RouterLink"}
    up = {link.name for view in told if view.router for link in view.router.links if link.up}
    return f"{len(up & made)}/{len(made)}"
