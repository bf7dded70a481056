"""What one pod of a service says of itself."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from forebay.pb.announcer.v1 import announcer_pb2
from forebay.pb.conduit.v1 import conduit_pb2
from forebay.pb.config.v1 import config_pb2
from forebay.pb.outfeed.v1 import outfeed_pb2
from forebay.pb.router.v1 import router_pb2
from forebay.pb.store.v1 import store_pb2
from forebay.runtime import Degradation, FieldViolation, ResourceResult


@dataclass(frozen=True)
class PodView:
    """One pod, as its service answered."""

    name: str
    """Of the pod."""
    ready: bool = False
    """Whether the service takes requests."""
    reachable: bool = False
    """Whether the service answered at all."""
    problem: str = ""
    """Why it did not answer, or refused what was applied, with the next step; empty when all went well."""
    revision: int = 0
    """The configuration in force; 0 before the first."""
    version: str = ""
    """Of the software, as `0.1.0`."""
    results: tuple[ResourceResult, ...] = ()
    """What came of each resource of that configuration."""
    degradations: tuple[Degradation, ...] = ()
    """What the service does without."""
    peers: tuple[outfeed_pb2.PeerStatus, ...] = ()
    """The peers of an outfeed by name; none before its first sound configuration."""
    queues: tuple[store_pb2.QueueStatus, ...] = ()
    """The queues of a store by name; none before its first sound configuration, nor of a pod that is not primary."""
    members: tuple[str, ...] = ()
    """Of a pod that is primary of a store with mirrors: pods that have all that was confirmed, itself first."""

    forwarders: tuple[announcer_pb2.Forwarder, ...] = ()
    """The forwarders of an announcer by name; none before its first sound configuration."""
    queue: announcer_pb2.GetQueueResponse | None = None
    """The job queue of an announcer, and how much it tracks; None as above."""
    router: router_pb2.GetRouterResponse | None = None
    """How a router is, with its links; None as above."""
    conduit: conduit_pb2.GetNodeResponse | None = None
    """How a node of conduit is, with its peers; None as above."""

    def result_of(self, kind: str, uid: str) -> ResourceResult | None:
        """What came of one resource; None when the configuration in force does not have it."""
        return self._results.get((kind, uid))

    def peer_of(self, uid: str) -> outfeed_pb2.PeerStatus | None:
        """How one peer fares; None when the service does not have it."""
        return self._peers.get(uid)

    def queue_of(self, uid: str) -> store_pb2.QueueStatus | None:
        """How one queue fares; None when the service does not have it."""
        return self._queues.get(uid)

    def forwarder_of(self, name: str) -> announcer_pb2.Forwarder | None:
        """How one forwarder fares; None when the service does not have it."""
        return self._forwarders.get(name)

    def links_of(self, name: str) -> list[router_pb2.LinkStatus]:
        """How the links of one RouterLink fare; none when the router does not make it, or has not tried yet."""
        return [link for link in self.router.links if link.name == name] if self.router else []

    # Looked up for each of thousands of children.
    @cached_property
    def _results(self) -> dict[tuple[str, str], ResourceResult]:
        return {(result.kind, result.uid): result for result in self.results}

    @cached_property
    def _peers(self) -> dict[str, outfeed_pb2.PeerStatus]:
        return {peer.uid: peer for peer in self.peers}

    @cached_property
    def _queues(self) -> dict[str, store_pb2.QueueStatus]:
        return {queue.uid: queue for queue in self.queues}

    @cached_property
    def _forwarders(self) -> dict[str, announcer_pb2.Forwarder]:
        return {forwarder.name: forwarder for forwarder in self.forwarders}


def viewed(
    name: str,
    status: config_pb2.GetStatusResponse,
    peers: Iterable[outfeed_pb2.PeerStatus] = (),
    queues: Iterable[store_pb2.QueueStatus] = (),
    members: Iterable[str] = (),
    forwarders: Iterable[announcer_pb2.Forwarder] = (),
    queue: announcer_pb2.GetQueueResponse | None = None,
    router: router_pb2.GetRouterResponse | None = None,
    conduit: conduit_pb2.GetNodeResponse | None = None,
) -> PodView:
    """The view of a pod that answered."""
    return PodView(
        name,
        ready=status.ready,
        reachable=True,
        revision=status.revision,
        version=status.version,
        results=tuple(map(_result, status.resources)),
        degradations=tuple(
            Degradation(each.reason, each.message, each.kind, each.name) for each in status.degradations
        ),
        peers=tuple(peers),
        queues=tuple(queues),
        members=tuple(members),
        forwarders=tuple(forwarders),
        queue=queue,
        router=router,
        conduit=conduit,
    )


def _result(message: config_pb2.ResourceResult) -> ResourceResult:
    return ResourceResult(
        message.kind,
        message.namespace,
        message.name,
        message.uid,
        message.generation,
        tuple(FieldViolation(each.field, each.description) for each in message.violations),
        tuple(message.warnings),
    )
