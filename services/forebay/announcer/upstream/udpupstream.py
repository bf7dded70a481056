"""Announces to trackers over UDP: BEP 15, with its repetitions, and BEP 41."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from forebay.announcer.forwarding.outcome import Cause, Failure
from forebay.announcer.upstream.trouble import connection_failure
from forebay.announcer.upstream.udpchannel import CONNECTION_LIFE, TrackerError, UdpChannel
from forebay.announcer.upstream.udpmessages import ANNOUNCE, announce_request, read_announced, read_error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.outcome import Outcome
    from forebay.runtime.clock import Clock

PATIENCE = 15.0
"""Seconds until a packet is sent again; the n-th repetition waits 2 ** n times as long."""
MOST_REPETITIONS = 8
CHANNEL_LIFE = 300.0
"""Seconds after which a name is resolved anew."""

_Address = tuple[str, int]


class _Line:
    """A channel, how many use it, and since when nobody does."""

    def __init__(self, channel: UdpChannel, now: float) -> None:
        self.channel = channel
        self.expires = now + CHANNEL_LIFE
        self.users = 0
        self.left = now
        """When the last user left."""


class UdpUpstream:
    """A client of all UDP trackers, with one socket for each. Those not used for long are closed as others are used."""

    def __init__(self, clock: Clock, patience: float = PATIENCE) -> None:
        self._clock = clock
        self._patience = patience
        self._lines: dict[_Address, _Line] = {}

    async def close(self) -> None:
        """Close all sockets; who still waits for an answer is told that the connection is lost."""
        for address, line in list(self._lines.items()):
            self._end(address, line)

    async def announce(self, spec: ForwarderSpec, announce: Announce) -> Outcome:
        """Send an announce; what came of it. The repetitions take longer than any sensible timeout of the caller."""
        parts = urlsplit(spec.url)
        address = parts.hostname or "", parts.port or 0
        try:
            async with self._line(address) as channel:
                return await self._exchange(channel, spec, announce)
        except TrackerError as error:
            return read_error(error.args[0])
        except OSError as error:
            return connection_failure(error)

    async def _exchange(self, channel: UdpChannel, spec: ForwarderSpec, announce: Announce) -> Outcome:
        """Ask until there is an answer. An error may mean that the connection id has expired: once, it is renewed."""
        renewed = False
        for repetition in range(MOST_REPETITIONS + 1):
            patience = self._patience * 2**repetition
            connection = await channel.connection(patience)
            if connection is None:
                continue
            try:
                answer = await channel.ask(ANNOUNCE, _request(connection, spec, announce), patience)
            except TrackerError:
                if renewed:
                    raise
                renewed = True
                channel.disconnect(connection)
                continue
            if answer is not None:
                return read_announced(answer, ipv6=channel.ipv6)
        return Failure(Cause.TIMEOUT, f"no answer to {MOST_REPETITIONS + 1} packets")

    @asynccontextmanager
    async def _line(self, address: _Address) -> AsyncIterator[UdpChannel]:
        self._sweep(self._clock.monotonic())
        line = self._lines.get(address)
        if line is None or line.expires <= self._clock.monotonic():
            line = await self._open(address)
        line.users += 1
        try:
            yield line.channel
        finally:
            self._leave(address, line)

    async def _open(self, address: _Address) -> _Line:
        _, channel = await asyncio.get_running_loop().create_datagram_endpoint(
            partial(UdpChannel, self._clock), remote_addr=address
        )
        now = self._clock.monotonic()
        current = self._lines.get(address)
        if current is not None and current.expires > now:
            # Someone else was faster.
            channel.close()
            return current
        if current is not None and not current.users:
            self._end(address, current)
        line = self._lines[address] = _Line(channel, now)
        return line

    def _leave(self, address: _Address, line: _Line) -> None:
        line.users -= 1
        line.left = self._clock.monotonic()
        if not line.users and self._lines.get(address) is not line:
            line.channel.close()

    def _sweep(self, now: float) -> None:
        """Close what was not used while a connection id lives: there is nothing of it to be kept."""
        for address, line in list(self._lines.items()):
            if not line.users and now - line.left > CONNECTION_LIFE:
                self._end(address, line)

    def _end(self, address: _Address, line: _Line) -> None:
        del self._lines[address]
        line.channel.close()


def _request(connection: int, spec: ForwarderSpec, announce: Announce) -> Callable[[int], bytes]:
    return lambda transaction: announce_request(connection, transaction, spec, announce)
