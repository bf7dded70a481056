"""A network of nodes without sockets in virtual time: it loses, doubles, delays and reorders datagrams by a seed."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from typing import Any

from forebay.conduit.core.conduits.publisher import Congestion, PublisherSettings
from forebay.conduit.core.conduits.reassembly import SampleLoss
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.declarations.events import DeclarationEvent
from forebay.conduit.core.dispatch import Sent
from forebay.conduit.core.listener import Listener
from forebay.conduit.core.node import Node
from forebay.conduit.core.session.events import PeerEvent
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.subscribers import Delivery

GROUP = "group"
"""The multicast address: it reaches every node, the sender too."""


@dataclass(frozen=True)
class Weather:
    """What happens to datagrams."""

    loss: float = 0.0
    """The part that is lost, 0 to 1."""
    duplication: float = 0.0
    """The part that arrives twice."""
    delay: tuple[float, float] = (0.0002, 0.0002)
    """Seconds that one takes at least and at most: when these differ, datagrams overtake each other."""


FAIR = Weather()


class Recorder(Listener):
    """Remembers what its node tells."""

    def __init__(self) -> None:
        self.events: list[PeerEvent] = []
        self.spilled: defaultdict[int, list[bytes]] = defaultdict(list)
        self.rooms: list[int] = []
        self.declarations: list[DeclarationEvent] = []
        self.losses: list[SampleLoss] = []

    def peer_changed(self, event: PeerEvent) -> None:
        self.events.append(event)

    def declaration_changed(self, event: DeclarationEvent) -> None:
        self.declarations.append(event)

    def sample_lost(self, loss: SampleLoss) -> None:
        self.losses.append(loss)

    def spill(self, publisher: int, samples: Sequence[bytes]) -> None:
        self.spilled[publisher] += samples

    def room(self, publisher: int) -> None:
        self.rooms.append(publisher)

    @property
    def changes(self) -> list[str]:
        return [event.change.value for event in self.events]


class SimNode:
    """One node and where it is in the network."""

    def __init__(self, net: "SimNet", address: str, settings: NodeSettings, random: Random) -> None:
        self.net = net
        self.address = address
        self.listener = Recorder()
        self.node = Node(settings, random, self.listener)
        self.alive = True
        self.received: defaultdict[int, list[bytes]] = defaultdict(list)
        """Payloads by resource, in the order of their delivery."""
        self.by_peer: defaultdict[bytes, list[bytes]] = defaultdict(list)
        """Payloads by the peer in whose session they came."""
        self.sent: list[Sent] = []
        """All datagrams that it has sent, if the net keeps them."""
        self.scheduled = float("inf")

    @property
    def peer_id(self) -> bytes:
        return self.node.settings.session.peer_id

    @property
    def peers(self) -> set[bytes]:
        """Ids of the peers that have a session with it."""
        return {peer.peer_id for peer in self.node.sessions.peers if peer.state.value == "established"}

    def subscribe(self, rid: int, take: Callable[[Delivery], int | None] | None = None, **options: Any) -> int:
        def record(delivery: Delivery) -> int | None:
            taken = take(delivery) if take else None
            self.received[delivery.rid] += delivery.payloads[:taken]
            self.by_peer[delivery.peer_id] += delivery.payloads[:taken]
            return taken

        number = self.node.subscribe(rid, record, self.net.now, **options)
        self.net.pump(self)
        return number

    def publish(self, rid: int, congestion: Congestion = Congestion.BLOCK, **options: Any) -> int:
        number = self.node.publish(PublisherSettings(rid, congestion=congestion, **options), self.net.now)
        self.net.pump(self)
        return number

    def write(self, publisher: int, *samples: bytes) -> Any:
        write = self.node.write(publisher, samples, self.net.now)
        self.net.pump(self)
        return write


class SimNet:
    """All nodes, all datagrams on their way, and the time."""

    def __init__(
        self, seed: int = 1, weather: Weather = FAIR, *, keeps: bool = False, randoms: type[Random] = Random
    ) -> None:
        """`keeps`: nodes remember what they sent; `randoms`: where they get their chance from."""
        self.random = Random(seed)
        self.weather = weather
        self.now = 1000.0
        self.nodes: dict[str, SimNode] = {}
        self.parted: set[frozenset[str]] = set()
        self.keeps = keeps
        self.randoms = randoms
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._starts = count(1)

    def start(
        self,
        address: str,
        *,
        lease: float = 5.0,
        group: str | None = GROUP,
        conduit: ConduitSettings | None = None,
        peers: Iterable[str] = (),
        session: dict[str, Any] | None = None,
        **options: Any,
    ) -> SimNode:
        """Start a node, in place of any other at that address. `conduit` is what all its conduits are like."""
        if address in self.nodes:
            self.kill(address)
        peer_id = b"%b-%d" % (address.encode(), next(self._starts))
        settings = NodeSettings(
            SessionSettings(peer_id, lease=lease, static_peers=tuple(peers), **session or {}), group=group, **options
        )
        if conduit:
            settings = replace(settings, multicast=(conduit, conduit), unicast=conduit)
        node = self.nodes[address] = SimNode(self, address, settings, self.randoms(self.random.random()))
        self.pump(node)
        return node

    def kill(self, address: str) -> None:
        """The node is gone without a word."""
        self.nodes.pop(address).alive = False

    def part(self, one: Iterable[str], other: Iterable[str]) -> None:
        """Nothing passes between these any more."""
        self.parted |= {frozenset((a, b)) for a in one for b in other}

    def heal(self) -> None:
        """Everything passes again."""
        self.parted.clear()

    def run(self, seconds: float) -> None:
        """Let so much time go by."""
        end = self.now + seconds
        while self._events and self._events[0][0] <= end:
            self.now, _, event = heapq.heappop(self._events)
            event()
        self.now = end

    def run_until(self, condition: Callable[[], bool], limit: float = 60.0) -> float:
        """Let time go by until something is the case; returns the seconds that it took."""
        start, end = self.now, self.now + limit
        while not condition():
            if not self._events or self._events[0][0] > end:
                raise AssertionError(f"it is not the case after {limit} s")
            self.now, _, event = heapq.heappop(self._events)
            event()
        return self.now - start

    def at(self, time: float, event: Callable[[], None]) -> None:
        """Let something happen later."""
        heapq.heappush(self._events, (time, next(self._order), event))

    def pump(self, node: SimNode) -> None:
        """Carry away what the node sends, and let it do what is due."""
        for _ in range(100):
            self._carry(node, node.node.outgoing())
            wake_at = node.node.wake_at
            if wake_at > self.now:
                break
            node.node.housekeep(self.now)
        else:
            raise AssertionError(f"{node.address} does not come to rest")
        if wake_at < node.scheduled:
            node.scheduled = wake_at
            self.at(wake_at, lambda: self._wake(node))

    def _wake(self, node: SimNode) -> None:
        node.scheduled = float("inf")
        if node.alive:
            self.pump(node)

    def _carry(self, node: SimNode, sent: Iterable[Sent]) -> None:
        for each in sent:
            if self.keeps:
                node.sent.append(each)
            for address in list(self.nodes) if each.address == GROUP else [each.address]:
                self._send(node.address, address, each.datagram)

    def _send(self, source: str, target: Any, datagram: bytes) -> None:
        weather, random = self.weather, self.random
        if frozenset((source, target)) in self.parted or random.random() < weather.loss:
            return
        for _ in range(1 + (random.random() < weather.duplication)):
            self.at(self.now + random.uniform(*weather.delay), lambda: self._arrive(source, target, datagram))

    def _arrive(self, source: str, target: str, datagram: bytes) -> None:
        node = self.nodes.get(target)
        if node is not None:
            self._carry(node, node.node.receive(datagram, source, self.now))
            self.pump(node)


def numbered(count: int, size: int = 8, first: int = 0) -> list[bytes]:
    """Samples that tell their place."""
    return [b"%0*d" % (size, number) for number in range(first, first + count)]
