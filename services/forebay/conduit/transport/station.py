"""A node that runs: its core, its sockets, the peers that it seeks, and the writers that wait."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from forebay.conduit.core.node import Node as Core
from forebay.conduit.core.participant import Participant
from forebay.conduit.core.session.peer import PeerState
from forebay.conduit.transport.engine import Engine, ip_version
from forebay.conduit.transport.resolving import Resolver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.conduit.core.conduits.publisher import Write
    from forebay.conduit.core.listener import Listener
    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.settings import NodeSettings
    from forebay.conduit.transport.places import Place
    from forebay.conduit.transport.settings import TransportSettings


class Station:
    """Made within a running event loop; it works from `open` to `close`, all of it on the loop's thread."""

    def __init__(self, settings: NodeSettings, transport: TransportSettings, listener: Listener) -> None:
        self.settings = transport
        # What it spreads over time guards nothing.
        self.core = Core(settings, Random(), listener)  # noqa: S311
        self.participant = Participant(self.core)
        """The core's node for programs: call `advance` after anything that is done with it."""
        self.engine = Engine(transport, self.core)
        self._waiting: set[asyncio.Future[None]] = set()
        self._seeking: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the sockets, and begin to seek peers. Raises `OSError`."""
        await self.engine.open()
        await self.seek(self.settings.peers, self.settings.resolve_interval)

    async def close(self, error: Callable[[], Exception]) -> None:
        """Tell the peers, and close the sockets; writers that wait get an error."""
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(error())
        await self._seek_no_more()
        await self.engine.close()

    @property
    def peers(self) -> list[Peer]:
        """Those with a session."""
        return [peer for peer in self.core.sessions.peers if peer.state is PeerState.ESTABLISHED]

    @property
    def address(self) -> tuple[str, int]:
        """Where its datagrams come in."""
        return self.engine.udp_address

    def advance(self) -> None:
        """Send what there is to send, and set the timer: after any call of the core."""
        self.engine.advance()

    def write(self, publisher: int, samples: Sequence[bytes]) -> Write:
        """Write samples, and send what is full: see `Participant.write`."""
        write = self.participant.write(publisher, samples, time.monotonic())
        self.advance()
        return write

    async def written(self, write: Write) -> None:
        """Wait until nothing of a write waits for room."""
        if not write.pending:
            return
        waiting = asyncio.get_running_loop().create_future()
        write.done = partial(_settle, waiting)
        self._waiting.add(waiting)
        try:
            await waiting
        finally:
            self._waiting.discard(waiting)

    def close_session(self, reason: str, *, peer_id: bytes | None = None, address: Any = None) -> None:
        """End the session with the peer of that id, or at that address. Raises `UnknownPeerError`."""
        self.core.close_session(reason, peer_id=peer_id, address=address)
        self.advance()

    async def seek(self, places: Sequence[Place], interval: float) -> None:
        """Seek the peers at these places from now on, and no others; names are looked up every so many seconds."""
        await self._seek_no_more()
        resolver = Resolver(places, ip_version(self.address[0]))
        if resolver.has_names:
            self._seeking = asyncio.get_running_loop().create_task(
                self._resolve(resolver, interval), name="conduit: names of peers"
            )
        else:
            await self._look_up(resolver, interval)

    async def _seek_no_more(self) -> None:
        if self._seeking:
            self._seeking.cancel()
            with suppress(asyncio.CancelledError):
                await self._seeking
            self._seeking = None

    async def _resolve(self, resolver: Resolver, interval: float) -> None:
        while True:
            await self._look_up(resolver, interval)
            await asyncio.sleep(interval)

    async def _look_up(self, resolver: Resolver, interval: float) -> None:
        self.core.seek(await resolver.look_up(interval))
        self.advance()


def _settle(waiting: asyncio.Future[None], _write: Write) -> None:
    if not waiting.done():
        waiting.set_result(None)
