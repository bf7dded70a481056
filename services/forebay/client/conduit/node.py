"""A node on real sockets, for asyncio programs."""

from __future__ import annotations

import asyncio
import os
import time
from math import inf
from typing import TYPE_CHECKING, Any, Self

from forebay.client.conduit.callbacks import call
from forebay.client.conduit.errors import NodeClosedError
from forebay.client.conduit.publisher import Publisher
from forebay.client.conduit.subscription import Subscription
from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.listener import Listener
from forebay.conduit.core.sealing import Authentication
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.wire.extras import LONG_NUMBER_BITS, Extra, Extras
from forebay.conduit.core.wire.properties import DEFAULT_NUMBER_BITS
from forebay.conduit.transport.lives import LIVES
from forebay.conduit.transport.station import Station
from forebay.conduit.transport.wakening import Wakening

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from types import TracebackType

    from forebay.client.conduit.callbacks import Callback
    from forebay.client.conduit.settings import ConduitNodeSettings
    from forebay.conduit.core.conduits.publisher import Write
    from forebay.conduit.core.declarations.events import DeclarationEvent
    from forebay.conduit.core.participant import Participant
    from forebay.conduit.core.session.events import PeerEvent

PEER_ID_OCTETS = 16
REASSEMBLY_OCTETS = 8 << 20
"""Of samples of one peer that are being put together, at least."""


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
        self._station = Station(core_settings(settings, self.peer_id), settings.transport, self._ears)
        self._subscriptions: set[Subscription] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._open = False

    async def __aenter__(self) -> Self:
        """Open the sockets, and begin to seek peers. Raises `OSError`."""
        await self._station.open()
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Tell the peers, end all iterators, and close the sockets; `drained` before it waits for acknowledgements."""
        self._open = False
        for subscription in list(self._subscriptions):
            subscription.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._station.close(lambda: NodeClosedError("the node has ended while samples waited for room"))

    @property
    def address(self) -> tuple[str, int]:
        """Where its datagrams come in."""
        return self._station.address

    @property
    def stream_address(self) -> tuple[str, int] | None:
        """Where it takes streams."""
        return self._station.engine.stream_address

    @property
    def participant(self) -> Participant:
        """The core's node for programs: call `advance` after anything that is done with it."""
        return self._station.participant

    @property
    def peers(self) -> dict[bytes, Any]:
        """Addresses of the peers with a session, by their ids."""
        return {peer.peer_id: peer.address for peer in self._station.peers}

    @property
    def lost(self) -> int:
        """Datagrams that could not be sent: what is reliable comes again."""
        return self._station.engine.lost

    @property
    def broken(self) -> int:
        """Samples of which not all pieces have come: nothing of them was handed over."""
        return self._station.core.reception.pieces.broken

    def advance(self) -> None:
        """Send what there is to send."""
        self._station.advance()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that comes with a change of peers or declarations."""
        while not condition():
            await self._ears.changes.wait()

    async def drained(self) -> None:
        """Wait until all peers have acknowledged all that was written to them."""
        self._check_open()
        await self._station.engine.drained()

    def publisher(
        self,
        resource: int | str,
        *,
        reliable: bool | None = None,
        congestion: Congestion = Congestion.BLOCK,
        deadline: float = inf,
        conduit: int = 0,
        switching: bool = False,
        history: int = 0,
    ) -> Publisher:
        """Declare a publisher: see `Participant.declare_publisher`."""
        self._check_open()
        number = self._station.participant.declare_publisher(
            resource,
            time.monotonic(),
            conduit=conduit,
            switching=switching,
            reliable=reliable,
            congestion=congestion,
            deadline=deadline,
            history=history,
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
        subscription.number = self._station.participant.declare_subscriber(
            resource, subscription.take, now, history=history
        )
        self._subscriptions.add(subscription)
        if callback:
            self._spawn(call(callback, subscription), f"conduit: subscriber {subscription.number}")
        self.advance()
        return subscription

    def close_session(self, reason: str, *, peer_id: bytes | None = None, address: Any = None) -> None:
        """End the session with the peer of that id, or at that address. Raises `UnknownPeerError`."""
        self._check_open()
        self._station.close_session(reason, peer_id=peer_id, address=address)

    def write(self, number: int, samples: Sequence[bytes]) -> Write:
        """For publishers."""
        self._check_open()
        return self._station.write(number, samples)

    async def written(self, write: Write) -> None:
        """For publishers."""
        await self._station.written(write)

    def unspill(self, number: int, samples: Sequence[bytes]) -> int:
        """For publishers."""
        return self._station.core.unspill(number, samples, time.monotonic())

    def spill_ended(self, number: int) -> None:
        """For publishers."""
        self._station.core.spill_ended(number)

    def forget_publisher(self, number: int) -> None:
        """For publishers."""
        self._check_open()
        self._station.participant.forget_publisher(number, time.monotonic())
        del self._publishers[number]
        self.advance()

    def _forget(self, subscription: Subscription) -> None:
        self._subscriptions.discard(subscription)
        if self._open:
            self._station.participant.forget_subscriber(subscription.number, time.monotonic())
            self.advance()

    def _check_open(self) -> None:
        if not self._open:
            raise NodeClosedError("the node is not open: use it within `async with`")

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def core_settings(settings: ConduitNodeSettings, peer_id: bytes) -> NodeSettings:
    """The core's part of the settings."""
    offered = Extra.QUERIES | Extra.LIVELINESS | Extra.HISTORY
    if settings.largest_sample:
        offered |= Extra.FRAGMENTS
    bits = LONG_NUMBER_BITS if settings.long_numbers else DEFAULT_NUMBER_BITS
    session = SessionSettings(
        peer_id,
        life=LIVES.begin() if settings.peer_id else 0,
        lease=settings.lease,
        scout_interval=settings.scout_interval,
        max_peers=settings.max_peers,
        extras=Extras(offered, bits, settings.largest_sample),
    )
    keys = dict(settings.keys)
    return NodeSettings(
        session,
        settings.conduits,
        settings.unicast,
        authentication=Authentication(keys, next(iter(keys)), time.time) if keys else None,
        reassembly_octets=max(REASSEMBLY_OCTETS, settings.largest_sample),
        group=settings.transport.group_address,
    )
