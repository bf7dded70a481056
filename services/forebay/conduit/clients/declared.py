"""What clients declare, but for publishers."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from forebay.conduit.clients.attachments import Quota
from forebay.conduit.core.errors import UnknownDeclarationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.clients.subscriberqueue import SubscriberQueue
    from forebay.conduit.core.declarations.definitions import Definition
    from forebay.conduit.transport.station import Station


class Resource:
    """A resource that a client has defined."""

    quota = Quota.RESOURCES

    def __init__(self, station: Station, definition: Definition) -> None:
        self.definition = definition
        self._station = station
        self._done = asyncio.Event()
        # Another client may wait for the same one.
        self._others = definition.done
        definition.done = self._settle

    def _settle(self, definition: Definition) -> None:
        self._others(definition)
        self._done.set()

    async def settled(self) -> None:
        """Wait until all peers have answered."""
        if self.definition.status is None:
            await self._done.wait()

    def forget(self) -> None:
        """Forget it."""
        with suppress(UnknownDeclarationError):
            self._station.participant.forget_resource(self.definition.number, time.monotonic())
        self._station.advance()


class Simple:
    """A selection, or a token: the node has it until it is told to forget its number."""

    quota = Quota.RESOURCES

    def __init__(self, station: Station, number: int, forget: Callable[[int, float], None]) -> None:
        self.number = number
        """The node's."""
        self._station = station
        self._forget = forget

    def forget(self) -> None:
        """Forget it."""
        with suppress(UnknownDeclarationError):
            self._forget(self.number, time.monotonic())
        self._station.advance()


class Subscriber:
    """A subscriber, and what waits to be read."""

    quota = Quota.SUBSCRIBERS

    def __init__(self, station: Station, queue: SubscriberQueue) -> None:
        self.number = -1
        """The node's."""
        self.queue = queue
        self.read = False
        """Whether a stream reads it."""
        self.forgotten = False
        self._station = station

    def forget(self) -> None:
        """Forget it."""
        self.forgotten = True
        with suppress(UnknownDeclarationError):
            self._station.participant.forget_subscriber(self.number, time.monotonic())
        self._station.advance()
        self.queue.wake()
