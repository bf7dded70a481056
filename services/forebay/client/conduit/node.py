"""A node on real sockets, for asyncio programs."""

from __future__ import annotations

import asyncio
import os
import time
from functools import partial
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, Self

from forebay.client.conduit.callbacks import call
from forebay.client.conduit.engine import Engine, ip_version
from forebay.client.conduit.errors import NodeClosedError
from forebay.client.conduit.places import parse_place
from forebay.client.conduit.publisher import Publisher
from forebay.client.conduit.resolving import Resolver
from forebay.client.conduit.subscription import Subscription
from forebay.client.conduit.wakening import Wakening
from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.listener import Listener
from forebay.conduit.core.node import Node as Core
from forebay.conduit.core.participant import Participant
from forebay.conduit.core.session.peer import PeerState
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.wire.extras import Extra, Extras

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from types import TracebackType

    from forebay.client.conduit.callbacks import Callback
    from forebay.client.conduit.settings import ConduitNodeSettings
    from forebay.conduit.core.conduits.publisher import Write
    from forebay.conduit.core.declarations.events import DeclarationEvent
    from forebay.conduit.core.session.events import PeerEvent

PEER_ID_OCTETS = 16


class _Ears(Listener):
    """Hears the core for the node."""

    def __init__(
        self,
        publishers: dict[int, Publisher],
        on_peer: Callable[[PeerEvent], None] | None,
        on_declaration: Callable[[DeclarationEvent], None] | None,
    ) -> None:
        self.changes = Wakening()
        self._publishers = publishers
        self._on_peer = on_peer
        self._on_declaration = on_declaration

    def peer_changed(self, event: PeerEvent) -> None:
        if self._on_peer:
            self._on_peer(event)
        self.changes.wake()

    def declaration_changed(self, event: DeclarationEvent) -> None:
        if self._on_declaration:
            self._on_declaration(event)
        self.changes.wake()

    def spill(self, publisher: int, samples: Sequence[bytes]) -> None:
        self._publishers[publisher].spill(samples)

    def room(self, publisher: int) -> None:
        self._publishers[publisher].room()


class Node:
    """A peer among zhe programs and nodes like itself; use it within `async with`.

    `on_peer` hears of peers that connected, disconnected or reconnected, `on_declaration` of what is declared; both
    run on the loop, and neither may wait.
    """

    def __init__(
        self,
        settings: ConduitNodeSettings,
        *,
        on_peer: Callable[[PeerEvent], None] | None = None,
        on_declaration: Callable[[DeclarationEvent], None] | None = None,
    ) -> None:
        self.settings = settings
        self.peer_id = settings.peer_id or os.urandom(PEER_ID_OCTETS)
        """What peers know it by."""
        self._publishers: dict[int, Publisher] = {}
        self._ears = _Ears(self._publishers, on_peer, on_declaration)
        # What it spreads over time guards nothing.
        self._core = Core(core_settings(settings, self.peer_id), Random(), self._ears)  # noqa: S311
        self._participant = Participant(self._core)
        self._engine = Engine(settings, self._core)
        self._subscriptions: set[Subscription] = set()
        self._blocked: set[asyncio.Future[None]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._open = False

    async def __aenter__(self) -> Self:
        """Open the sockets, and begin to seek peers. Raises `OSError`."""
        await self._engine.open()
        self._open = True
        places = [parse_place(peer, "peers") for peer in self.settings.peers]
        if places:
            resolver = Resolver(places, ip_version(self.address[0]))
            if resolver.has_names:
                self._spawn(self._resolve(resolver), "conduit: names of peers")
            else:
                await self._look_up(resolver)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Tell the peers, end all iterators, and close the sockets; `drained` before it waits for acknowledgements."""
        self._open = False
        for subscription in list(self._subscriptions):
            subscription.close()
        for waiting in self._blocked:
            if not waiting.done():
                waiting.set_exception(NodeClosedError("the node has ended while samples waited for room"))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._engine.close()

    @property
    def address(self) -> tuple[str, int]:
        """Where its datagrams come in."""
        return self._engine.udp_address

    @property
    def stream_address(self) -> tuple[str, int] | None:
        """Where it takes streams."""
        return self._engine.stream_address

    @property
    def participant(self) -> Participant:
        """The core's node for programs: call `advance` after anything that is done with it."""
        return self._participant

    @property
    def peers(self) -> dict[bytes, Any]:
        """Addresses of the peers with a session, by their ids."""
        peers = self._core.sessions.peers
        return {peer.peer_id: peer.address for peer in peers if peer.state is PeerState.ESTABLISHED}

    @property
    def lost(self) -> int:
        """Datagrams that could not be sent: what is reliable comes again."""
        return self._engine.lost

    def advance(self) -> None:
        """Send what there is to send."""
        self._engine.advance()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that comes with a change of peers or declarations."""
        while not condition():
            await self._ears.changes.wait()

    async def drained(self) -> None:
        """Wait until all peers have acknowledged all that was written to them."""
        self._check_open()
        await self._engine.drained()

    def publisher(
        self,
        resource: int | str,
        *,
        reliable: bool | None = None,
        congestion: Congestion = Congestion.BLOCK,
        deadline: float = inf,
        conduit: int = 0,
        switching: bool = False,
    ) -> Publisher:
        """Declare a publisher: see `Participant.declare_publisher`."""
        self._check_open()
        number = self._participant.declare_publisher(
            resource,
            time.monotonic(),
            conduit=conduit,
            switching=switching,
            reliable=reliable,
            congestion=congestion,
            deadline=deadline,
        )
        publisher = Publisher(number, self, congestion, self.settings.spill_octets)
        self._publishers[number] = publisher
        self.advance()
        return publisher

    def subscribe(
        self,
        resource: int | str,
        callback: Callback | None = None,
        *,
        history: int = 0,
    ) -> Subscription:
        """Declare a subscriber, and iterate over what it gets; or give a callback, which gets one after the other.

        A coroutine function runs on the loop; any other one runs on a thread, so that it may take its time.
        Raises `InvalidUriError`.
        """
        self._check_open()
        subscription = Subscription(self.settings.queue_samples, self._forget)
        now = time.monotonic()
        subscription.number = self._participant.declare_subscriber(resource, subscription.take, now, history=history)
        self._subscriptions.add(subscription)
        if callback:
            self._spawn(call(callback, subscription), f"conduit: subscriber {subscription.number}")
        self.advance()
        return subscription

    def close_session(self, reason: str, *, peer_id: bytes | None = None, address: Any = None) -> None:
        """End the session with the peer of that id, or at that address. Raises `UnknownPeerError`."""
        self._check_open()
        self._core.close_session(reason, peer_id=peer_id, address=address)
        self.advance()

    def write(self, number: int, samples: Sequence[bytes]) -> Write:
        """For publishers."""
        self._check_open()
        write = self._participant.write(number, samples, time.monotonic())
        self.advance()
        return write

    async def written(self, write: Write) -> None:
        """For publishers."""
        waiting = asyncio.get_running_loop().create_future()
        write.done = partial(_settle, waiting)
        self._blocked.add(waiting)
        try:
            await waiting
        finally:
            self._blocked.discard(waiting)

    def unspill(self, number: int, samples: Sequence[bytes]) -> int:
        """For publishers."""
        return self._core.unspill(number, samples, time.monotonic())

    def spill_ended(self, number: int) -> None:
        """For publishers."""
        self._core.spill_ended(number)

    def forget_publisher(self, number: int) -> None:
        """For publishers."""
        self._check_open()
        self._participant.forget_publisher(number, time.monotonic())
        del self._publishers[number]
        self.advance()

    def _forget(self, subscription: Subscription) -> None:
        self._subscriptions.discard(subscription)
        if self._open:
            self._participant.forget_subscriber(subscription.number, time.monotonic())
            self.advance()

    def _check_open(self) -> None:
        if not self._open:
            raise NodeClosedError("the node is not open: use it within `async with`")

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _resolve(self, resolver: Resolver) -> None:
        while True:
            await self._look_up(resolver)
            await asyncio.sleep(self.settings.resolve_interval)

    async def _look_up(self, resolver: Resolver) -> None:
        self._core.sessions.sought = await resolver.look_up(self.settings.resolve_interval)
        self.advance()


def core_settings(settings: ConduitNodeSettings, peer_id: bytes) -> NodeSettings:
    """The core's part of the settings."""
    session = SessionSettings(
        peer_id,
        lease=settings.lease,
        scout_interval=settings.scout_interval,
        max_peers=settings.max_peers,
        extras=Extras(Extra.QUERIES | Extra.LIVELINESS),
    )
    group = parse_place(settings.group, "group") if settings.group else None
    address = (group.host, group.port) if group else None
    return NodeSettings(session, settings.conduits, settings.unicast, group=address)


def _settle(waiting: asyncio.Future[None], _write: Write) -> None:
    if not waiting.done():
        waiting.set_result(None)
