"""Samples on their way over, in both directions."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING

import structlog
import zenoh

from forebay.client.bridge.names import Naming
from forebay.client.bridge.zenohside import ZenohSide
from forebay.client.conduit import Node
from forebay.conduit.core.errors import SampleTooLargeError, WindowFullError
from forebay.conduit.core.uri.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.client.bridge.settings import BridgeSettings, ZenohSettings
    from forebay.client.conduit import ConduitNodeSettings, Delivery

    UriOf = Callable[[str], str | None]

MARK_OCTETS = 8
OWN_OCTETS = 8
KEPT_NAMES = 4096
"""Names whose URIs are remembered, for each pattern."""
PAUSE = 0.01
"""Seconds until samples are tried again for which the node's own subscribers had no room."""
TOLD_EVERY = 60.0

log = structlog.stdlib.get_logger(__name__)


@dataclass
class Tally:
    """Samples, counted."""

    outward: int = 0
    """That went to zenoh."""
    inward: int = 0
    """That came from zenoh, and were written."""
    unnamed: int = 0
    """Left out: their resource or key has no name on the other side."""
    away: int = 0
    """Left out: there was no session of zenoh."""
    refused: int = 0
    """Left out: no peer takes samples so large."""
    deleted: int = 0
    """Left out: keys that were deleted, for which conduit has no word."""


class Bridge:
    """A node of conduit and a session of zenoh, and samples that go over.

    Peers tell a bridge by the first half of its id, which is made of the network's name: none takes from another what
    that has brought. Use `run`.
    """

    def __init__(self, settings: BridgeSettings, node: ConduitNodeSettings, session: ZenohSettings) -> None:
        """Raises `BridgeSettingError`, `SettingError`."""
        self.tally = Tally()
        self._settings = settings
        self._naming = Naming(settings.prefix)
        self._mark = blake2b(f"forebay bridge {settings.network}".encode(), digest_size=MARK_OCTETS).digest()
        self.node = Node(replace(node, peer_id=self._mark + os.urandom(OWN_OCTETS)))
        takers = [(self._naming.selector_of(each), partial(self._take, self._uri_of(each))) for each in settings.inward]
        self.zenoh = ZenohSide(session, self._mark, takers, settings.waiting_samples)

    async def run(self) -> None:
        """Bring samples over until this is cancelled. Raises `OSError` when the node cannot listen."""
        async with self.node:
            for pattern in self._settings.outward:
                self.node.subscribe(pattern, self._give)
            tasks = [asyncio.create_task(each) for each in (self.zenoh.keep(), self._tell())]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _give(self, delivery: Delivery) -> None:
        """Samples for zenoh. While there is no session they are left out: conduit is not held up."""
        if delivery.peer_id.startswith(self._mark):
            return
        key, count = self._naming.key_of(delivery.uri) if delivery.uri else None, len(delivery.payloads)
        if key is None:
            self.tally.unnamed += count
            return
        went = await asyncio.to_thread(self.zenoh.put, key, delivery.payloads) if self.zenoh.is_open else 0
        self.tally.outward += went
        self.tally.away += count - went

    async def _take(self, uri_of: UriOf, samples: Sequence[zenoh.Sample]) -> None:
        """Samples of zenoh; it is held up while the window has no room for them."""
        for key, run in groupby(samples, lambda sample: str(sample.key_expr)):
            uri, found = uri_of(key), list(run)
            payloads = [each.payload.to_bytes() for each in found if each.kind == zenoh.SampleKind.PUT]
            self.tally.deleted += len(found) - len(payloads)
            if uri is None:
                self.tally.unnamed += len(payloads)
            elif uri and payloads:
                await self._write(uri, payloads)

    async def _write(self, uri: str, payloads: Sequence[bytes]) -> None:
        node = self.node
        while True:
            try:
                write = node.participant.write_uri(uri, payloads, time.monotonic(), conduit=self._settings.conduit)
                break
            except WindowFullError:
                await asyncio.sleep(PAUSE)
            except SampleTooLargeError:
                await self._write_apart(uri, payloads)
                return
        node.advance()
        if write.pending:
            await node.written(write)
        self.tally.refused += write.failed
        self.tally.inward += len(payloads) - write.failed

    async def _write_apart(self, uri: str, payloads: Sequence[bytes]) -> None:
        """One of them is too large: the others go."""
        if len(payloads) == 1:
            self.tally.refused += 1
            return
        for payload in payloads:
            await self._write(uri, [payload])

    def _uri_of(self, pattern: str) -> UriOf:
        """Which URI a key has, None where it has none. It is empty where it does not match the pattern: key expressions
        are wider than those.
        """
        matcher, naming = Pattern(pattern), self._naming

        @lru_cache(KEPT_NAMES)
        def uri_of(key: str) -> str | None:
            uri = naming.uri_of(key)
            return uri if uri is None or matcher.matches(uri) else ""

        return uri_of

    async def _tell(self) -> None:
        """Log now and then what was left out."""
        told = replace(self.tally)
        while True:
            await asyncio.sleep(TOLD_EVERY)
            now = replace(self.tally)
            left_out = (now.unnamed, now.away, now.refused, now.deleted)
            if left_out != (told.unnamed, told.away, told.refused, told.deleted):
                log.warning("samples were left out", **vars(now))
            told = now
