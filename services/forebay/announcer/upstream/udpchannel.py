"""A channel: the socket to one UDP tracker, its open transactions and its connection id."""

from __future__ import annotations

import asyncio
import secrets
import socket
from typing import TYPE_CHECKING, cast

from forebay.announcer.upstream.udpmessages import CONNECT, ERROR, HEAD, connect_request, connection_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.runtime.clock import Clock

CONNECTION_LIFE = 60.0
"""Seconds that a connection id may be used after it came (BEP 15)."""


class TrackerError(Exception):
    """The tracker answered with an error packet, which is the argument."""


class UdpChannel(asyncio.DatagramProtocol):
    """A connected socket: nobody but the tracker is heard, and it tells when nobody listens there."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._transactions: dict[int, tuple[int, asyncio.Future[bytes]]] = {}
        self._connection: tuple[int, float] | None = None
        self._connecting = asyncio.Lock()
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # noqa: D102
        self._transport = cast("asyncio.DatagramTransport", transport)

    @property
    def ipv6(self) -> bool:
        """Whether the tracker is spoken to over IPv6."""
        return bool(self._socket().get_extra_info("socket").family == socket.AF_INET6)

    def _socket(self) -> asyncio.DatagramTransport:
        assert self._transport is not None  # noqa: S101 used only while it is open
        return self._transport

    def close(self) -> None:
        """Close the socket; who waits for an answer is told that the connection is lost."""
        self._socket().close()

    def datagram_received(self, data: bytes, addr: object) -> None:
        """Hand an answer to who waits for it; what nobody waits for is ignored."""
        if len(data) < HEAD:
            return
        action, transaction = int.from_bytes(data[:4]), int.from_bytes(data[4:HEAD])
        expected, answer = self._transactions.get(transaction, (None, None))
        if answer is None or answer.done():
            return
        if action == ERROR:
            answer.set_exception(TrackerError(data))
        elif action == expected:
            answer.set_result(data)

    def error_received(self, exc: Exception) -> None:
        """Nobody listens there, or no way leads there."""
        for _, answer in self._transactions.values():
            if not answer.done():
                answer.set_exception(exc)

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is closed."""
        self.error_received(exc or ConnectionResetError("the socket was closed"))

    async def connection(self, patience: float) -> int | None:
        """A connection id that may be used now; none when the tracker does not give one within `patience` seconds.

        Raises `TrackerError` and `OSError`.
        """
        async with self._connecting:
            if self._connection is None or self._clock.monotonic() >= self._connection[1]:
                await self._connect(patience)
            return self._connection[0] if self._connection is not None else None

    async def _connect(self, patience: float) -> None:
        self._connection = None
        answer = await self.ask(CONNECT, connect_request, patience)
        number = None if answer is None else connection_id(answer)
        if number is not None:
            self._connection = number, self._clock.monotonic() + CONNECTION_LIFE

    def disconnect(self, connection: int) -> None:
        """The tracker does not accept this connection id any more."""
        if self._connection is not None and self._connection[0] == connection:
            self._connection = None

    async def ask(self, action: int, request: Callable[[int], bytes], patience: float) -> bytes | None:
        """Send `request(transaction)` once; the answer, or none when there is none within `patience` seconds.

        Raises `TrackerError` when the tracker answers with an error, `OSError` when the socket tells of one.
        """
        transaction = self._new_transaction()
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._transactions[transaction] = action, answer
        try:
            self._socket().sendto(request(transaction))
            async with asyncio.timeout(patience):
                return await answer
        except TimeoutError:
            return None
        finally:
            del self._transactions[transaction]

    def _new_transaction(self) -> int:
        # Not to be guessed: an answer with a forged source address would be believed.
        while (transaction := secrets.randbits(32)) in self._transactions:
            pass
        return transaction
