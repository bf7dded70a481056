"""A link: one connection to Redis on which batches are written without waiting, and answered in order."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import structlog
from redis.asyncio.connection import AbstractConnection, Connection, SSLConnection, UnixDomainSocketConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError

from forebay.spill.address import Address, Endpoint, Form
from forebay.spill.errors import SpillUnavailableError
from forebay.spill.scripts import Command
from forebay.spill.settings import SpillSettings

log = structlog.stdlib.get_logger(__name__)

Reply = Any
"""What Redis answered to one command; an error of that command alone is a `ResponseError` in the command's place."""


def new_connection(address: Address, endpoint: Endpoint | None, settings: SpillSettings) -> AbstractConnection:
    """A connection that is not open yet; `endpoint` is None for a Unix socket."""
    common: dict[str, Any] = {
        "db": address.db,
        "username": address.username,
        "password": address.password,
        "socket_timeout": None,
        "socket_connect_timeout": settings.connect_timeout,
        "protocol": 2,
    }
    if address.form is Form.UNIX or endpoint is None:
        return UnixDomainSocketConnection(path=address.path, **common)
    common |= {"host": endpoint.host, "port": endpoint.port}
    if not address.tls:
        return Connection(**common)
    tls = settings.tls
    return SSLConnection(ssl_ca_certs=tls.ca_file, ssl_certfile=tls.cert_file, ssl_keyfile=tls.key_file, **common)


class Link:
    """Batches of any number of callers; the first failure breaks it for good, and all that wait are told."""

    def __init__(self, connection: AbstractConnection, broken: Callable[[SpillUnavailableError], None]) -> None:
        self._connection = connection
        self._broken = broken
        self._to_send: asyncio.Queue[Sequence[Command]] = asyncio.Queue()
        self._pending: deque[tuple[int, asyncio.Future[list[Reply]]]] = deque()
        self._error: SpillUnavailableError | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Connect and authenticate. Raises `redis.exceptions.RedisError`."""
        await self._connection.connect()  # type: ignore[no-untyped-call]
        self._tasks = [
            asyncio.create_task(self._guard(self._send())),
            asyncio.create_task(self._guard(self._receive())),
        ]

    async def run(self, commands: Sequence[Command], deadline: float) -> list[Reply]:
        """Send commands, return their answers.

        Raises `SpillUnavailableError` when the link breaks, or the answers take longer than `deadline` seconds, which
        breaks it: what was sent on it could not be told from what comes after.
        """
        if self._error:
            raise SpillUnavailableError(str(self._error))
        future: asyncio.Future[list[Reply]] = asyncio.get_running_loop().create_future()
        self._to_send.put_nowait(commands)
        self._pending.append((len(commands), future))
        try:
            async with asyncio.timeout(deadline):
                return await future
        except TimeoutError:
            error = SpillUnavailableError(f"Redis did not answer within {deadline:g} s")
            self.fail(error)
            raise error from None

    def fail(self, error: SpillUnavailableError) -> None:
        """Break the link for a reason; what still waits is told."""
        if self._error:
            return
        self._error = error
        self._broken(error)
        for _, future in self._pending:
            if not future.done():
                future.set_exception(error)
        self._pending.clear()

    async def close(self) -> None:
        """End the connection; what still waits is told."""
        self.fail(SpillUnavailableError("the connection to Redis was closed"))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._connection.disconnect(nowait=True)

    async def _send(self) -> None:
        while True:
            for command in await self._to_send.get():
                # Packed one by one, so that a large batch gives the loop to others in between.
                await self._connection.send_packed_command(self._connection.pack_command(*command), check_health=False)

    async def _receive(self) -> None:
        while True:
            # Read even when nothing is awaited: so it is noticed at once that Redis has gone.
            replies = [await self._read()]
            if not self._pending:
                raise RedisConnectionError("Redis sent what nobody asked for")
            number, future = self._pending[0]
            while len(replies) < number:
                replies.append(await self._read())
            self._pending.popleft()
            if not future.done():
                future.set_result(replies)

    async def _read(self) -> Reply:
        try:
            return await self._connection.read_response(disable_decoding=True)
        except ResponseError as error:
            return error

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (RedisError, OSError) as error:
            self.fail(SpillUnavailableError(f"the connection to Redis broke: {error}"))
        except Exception as error:
            log.exception("connection to Redis given up")
            self.fail(SpillUnavailableError(f"the connection to Redis is given up: {error!r}"))
