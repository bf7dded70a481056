"""A node as it works for clients over gRPC: its station, what clients have, and what waits in the Spill."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import structlog

from forebay.conduit.board import Board
from forebay.conduit.clients.attachments import Attachments
from forebay.conduit.clients.publisher import Publisher
from forebay.conduit.clients.tally import Tally
from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.declarations.events import DeclarationChange
from forebay.conduit.core.errors import ConduitError, UnknownDeclarationError
from forebay.conduit.core.listener import Listener
from forebay.conduit.errors import NodeEndedError
from forebay.conduit.specs import told_of
from forebay.conduit.spilling.outflow import Outflow
from forebay.conduit.spilling.owners import Owner
from forebay.conduit.spilling.reservoir import Reservoir
from forebay.conduit.transport.station import Station
from forebay.runtime.errors import FailedPreconditionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from forebay.api.v1alpha1.conduitnode import DeclaredResource
    from forebay.conduit.core.declarations.definitions import Definition
    from forebay.conduit.core.declarations.events import DeclarationEvent
    from forebay.conduit.core.session.events import PeerEvent
    from forebay.conduit.core.settings import NodeSettings
    from forebay.conduit.settings import ClientSettings
    from forebay.conduit.transport.settings import TransportSettings
    from forebay.runtime.clock import Clock
    from forebay.runtime.tasks import Supervisor
    from forebay.spill import Spill

MOST_CHANGES = 10_000
"""Changes of peers that wait for one watcher."""
PATIENCE = 5.0
"""Seconds that peers have in the end to acknowledge what was published."""

log = structlog.stdlib.get_logger(__name__)


class PublisherWish(NamedTuple):
    """Which publisher a client wants."""

    resource: int | str
    conduit: int
    reliable: bool | None
    congestion: Congestion
    deadline: float
    switching: bool
    history: int


class ServiceNode(Listener):
    """Made within a running event loop; it works from `start` to `close`."""

    def __init__(
        self,
        settings: NodeSettings,
        transport: TransportSettings,
        clients: ClientSettings,
        clock: Clock,
        tasks: Supervisor,
    ) -> None:
        self.limits = clients
        self.station = Station(settings, transport, self)
        self.attachments = Attachments()
        self.peers: Board[PeerEvent] = Board(MOST_CHANGES)
        """Changes of sessions."""
        self.tally = Tally()
        self.reservoir: Reservoir | None = None
        """What waits in the Spill; None: it has none."""
        self._resources: dict[DeclaredResource, Definition] = {}
        """Those that the configuration has."""
        self._keys: Mapping[int, bytes] = {}
        self._clock = clock
        self._tasks = tasks
        self._spilling: asyncio.Task[None] | None = None
        self._open = False

    @property
    def peer_id(self) -> bytes:
        """By what peers know it."""
        return self.station.core.settings.session.peer_id

    async def start(self) -> None:
        """Open the sockets, and begin to seek peers. Raises `OSError`."""
        await self.station.open()
        self._open = True

    async def configure(
        self,
        transport: TransportSettings,
        clients: ClientSettings,
        keys: Mapping[int, bytes],
        resources: Sequence[DeclaredResource],
    ) -> None:
        """Change what may be changed while it works; no session ends for it. `keys`: the first one seals."""
        self.limits = clients
        seeking = (transport.peers, transport.resolve_interval)
        if seeking != (self.station.settings.peers, self.station.settings.resolve_interval):
            await self.station.seek(*seeking)
        self.station.settings = transport
        if keys and self.station.core.sealing and list(keys.items()) != list(self._keys.items()):
            self.station.core.rotate(keys, next(iter(keys)))
        self._keys = keys
        self._declare(resources)

    def _declare(self, resources: Sequence[DeclaredResource]) -> None:
        """Declare these resources, and no others of the configuration."""
        now, participant = time.monotonic(), self.station.participant
        for gone in set(self._resources).difference(resources):
            with suppress(UnknownDeclarationError):
                participant.forget_resource(self._resources.pop(gone).number, now)
        for each in resources:
            if each not in self._resources:
                definition = participant.declare_resource(
                    each.uri, now, rid=each.id, told=told_of(each), unicast=each.unicast
                )
                self._resources[each] = definition
        self.station.advance()

    def problems(self) -> list[tuple[str, str]]:
        """Resources of the configuration that are not in force, by URI, with the reason."""
        return [(each.uri, each.reason) for each in self._resources.values() if each.status]

    def spill(self, publisher: int, samples: Sequence[bytes]) -> None:
        """The core lays samples aside."""
        if self.reservoir and (reserve := self.reservoir.of(publisher)):
            reserve.put(samples)

    def room(self, publisher: int) -> None:
        """The core has room for samples that were laid aside."""
        if self.reservoir and (reserve := self.reservoir.of(publisher)):
            reserve.room()

    def peer_changed(self, event: PeerEvent) -> None:
        """Tell who watches."""
        self.peers.tell(event)
        self._look_at_spill()

    def declaration_changed(self, event: DeclarationEvent) -> None:
        """Tell clients what was refused, or contradicts something else."""
        if event.change in {DeclarationChange.CONFLICT, DeclarationChange.REFUSED}:
            for client in self.attachments:
                client.note(event)
        self._look_at_spill()

    def _look_at_spill(self) -> None:
        if self.reservoir:
            self.reservoir.wake()

    def publisher(self, wish: PublisherWish) -> Publisher:
        """Declare a publisher. Raises `ConduitError`, `FailedPreconditionError`."""
        reservoir, limit = self.reservoir, self.limits.aside_octets
        spills = wish.congestion is Congestion.SPILL
        if spills and reservoir is None:
            raise FailedPreconditionError(
                "the node has no Spill: give the ConduitNode a spillRef, or choose another congestion",
                reason="NO_SPILL",
            )
        outflow = self._publish(wish)
        reserve = None
        if spills and reservoir:
            owner = Owner(reservoir.node, wish.resource, wish.conduit, wish.reliable, wish.switching).marked()
            reserve = reservoir.give(outflow, str(owner), limit)
        return Publisher(self.station, outflow, self.tally, reserve, wish.deadline)

    def _publish(self, wish: PublisherWish) -> Outflow:
        number = self.station.participant.declare_publisher(
            wish.resource,
            time.monotonic(),
            conduit=wish.conduit,
            switching=wish.switching,
            reliable=wish.reliable,
            congestion=wish.congestion,
            deadline=wish.deadline,
            history=wish.history,
        )
        self.station.advance()
        return Outflow(self.station, number, self.tally)

    def spill_to(self, spill: Spill, name: str) -> None:
        """Have publishers spill there from now on; `name`: the node's, over all its lives."""
        self.reservoir = Reservoir(spill, name, self._clock)
        self._spilling = self._tasks.spawn("spill", self.reservoir.run)
        self._tasks.spawn("what an earlier life has spilled", self._resume)

    async def _resume(self) -> None:
        assert self.reservoir is not None  # noqa: S101 set before
        await self.reservoir.resume(self._take_up, self.limits.aside_octets)

    def _take_up(self, owner: Owner) -> Outflow:
        """A publisher for what an earlier life has left."""
        wish = PublisherWish(owner.resource, owner.conduit, owner.reliable, Congestion.SPILL, 0, owner.switching, 0)
        return self._publish(wish)

    async def close(self) -> None:
        """Let peers acknowledge what was published, end the sessions, and close the sockets."""
        if not self._open:
            return
        if self._spilling:
            # Nothing more goes to the window: what is in it is to be acknowledged.
            self._spilling.cancel()
            await asyncio.wait([self._spilling])
        with suppress(TimeoutError, ConduitError):
            async with asyncio.timeout(PATIENCE):
                await self.station.engine.drained()
        if self.reservoir:
            await self.reservoir.close()
        await self.station.close(lambda: NodeEndedError("the node has ended while samples waited for room"))
