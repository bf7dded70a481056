"""A session: connections to one running server process, which ends when that process, or one of them, is gone."""

import asyncio
from collections.abc import Callable, Sequence
from enum import Enum

from redis.exceptions import AuthenticationError, RedisError, ResponseError

from forebay.spill.address import Address, Endpoint
from forebay.spill.checks import check_server, check_sync, parse_info
from forebay.spill.errors import SpillCheckError, SpillUnavailableError
from forebay.spill.link import Link, Reply, new_connection
from forebay.spill.scripts import Command
from forebay.spill.settings import SpillSettings

WAITAOF_TIMEOUT = 10.0
"""Seconds a server has to write its log; `appendfsync everysec` needs one or two."""
ACL_REMEDY = "let the user run INFO, EVAL, EVALSHA, WAITAOF and all of streams"


class Channel(Enum):
    """Which of a session's links a batch goes over."""

    APPEND = "append"
    WORK = "work"


class Session:
    """Three links: WAITAOF blocks the one it is sent on, which nothing else may have to wait for."""

    def __init__(
        self, address: Address, endpoint: Endpoint | None, settings: SpillSettings, ended: Callable[[], None]
    ) -> None:
        """`ended` is called when the session ends, before anybody who waits for an answer is woken."""
        self.run_id = ""
        """Names the server's process: another one after each restart."""
        self.lost: asyncio.Future[SpillUnavailableError] = asyncio.get_running_loop().create_future()
        """Done when the session has ended, with the reason."""
        self._ended = ended
        self._settings = settings
        self._address = address
        self._links = [Link(new_connection(address, endpoint, settings), self.fail) for _ in range(3)]
        self._append, self._work, self._fence = self._links
        self._appender = Appender(self._append) if settings.durability == "always" else None

    async def open(self) -> None:
        """Connect all links and check the server.

        Raises `SpillUnavailableError` or `SpillCheckError`; nothing stays open then.
        """
        try:
            self.run_id = await self._connect()
        except BaseException:
            await self.close()
            raise

    async def run(self, channel: Channel, commands: Sequence[Command]) -> list[Reply]:
        """Run commands in order. Raises `SpillUnavailableError`."""
        if channel is Channel.WORK:
            return await self._work.run(commands, self._settings.answer_timeout)
        if self._appender:
            return await self._appender.run(commands)
        return await self._append.run(commands, self._settings.answer_timeout)

    async def run_fence(self, commands: Sequence[Command]) -> list[Reply]:
        """Run commands, then wait until all that was written before is on disk. Raises `SpillUnavailableError`."""
        return await run_durably(self._fence, commands)

    def fail(self, error: SpillUnavailableError) -> None:
        """End the session: a link broke, or the server turned out to be no master any more."""
        if not self.lost.done():
            self.lost.set_result(error)
            self._ended()

    async def close(self) -> None:
        """Close all links."""
        await asyncio.gather(*(link.close() for link in self._links), return_exceptions=True)

    async def _connect(self) -> str:
        """Connect and check all links; which run of Redis they have reached."""
        seconds = self._settings.connect_timeout
        try:
            for link in self._links:
                async with asyncio.timeout(seconds):
                    await link.open()
            runs = {await self._check(link) for link in self._links}
        except AuthenticationError as error:
            user = self._address.username or "default"
            raise SpillCheckError("user", user, "Redis refuses it or its password, correct them in the URL") from error
        except RedisError as error:
            raise SpillUnavailableError(f"cannot connect to Redis: {error}") from error
        except TimeoutError as error:
            raise SpillUnavailableError(f"cannot connect to Redis: no answer within {seconds:g} s") from error
        if len(runs) > 1:
            raise SpillUnavailableError("Redis was restarted while connecting")
        return runs.pop()

    async def _check(self, link: Link) -> str:
        questions: list[Command] = [("INFO",), ("CONFIG", "GET", "appendfsync"), ("WAITAOF", 0, 0, 0)]
        reply, appendfsync, waited = await link.run(questions, self._settings.connect_timeout)
        if isinstance(reply, ResponseError):
            raise SpillCheckError("acl", str(reply), ACL_REMEDY)
        info = parse_info(reply)
        check_server(info, self._address.form)
        if isinstance(waited, ResponseError):
            raise SpillCheckError("acl", str(waited), ACL_REMEDY)
        # Many a hosted Redis forbids CONFIG or tells nothing; then its operator is trusted.
        if not isinstance(appendfsync, ResponseError) and appendfsync:
            check_sync(appendfsync[1].decode())
        return info["run_id"]


class Appender:
    """Group commit: what is submitted while one WAITAOF is awaited goes out together, with the next one behind it."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._waiting: list[tuple[Sequence[Command], asyncio.Future[list[Reply]]]] = []
        self._flushing: asyncio.Task[None] | None = None

    async def run(self, commands: Sequence[Command]) -> list[Reply]:
        """Run commands; their effects are on disk on return. Raises `SpillUnavailableError`."""
        future: asyncio.Future[list[Reply]] = asyncio.get_running_loop().create_future()
        self._waiting.append((commands, future))
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush())
        return await future

    async def _flush(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                replies = await run_durably(self._link, [command for commands, _ in batch for command in commands])
            except SpillUnavailableError as error:
                _fail(batch, error)
            else:
                _resolve(batch, replies)


async def run_durably(link: Link, commands: Sequence[Command]) -> list[Reply]:
    """Run commands with a WAITAOF behind them, on the same connection. Raises `SpillUnavailableError`."""
    wait: Command = ("WAITAOF", 1, 0, int(WAITAOF_TIMEOUT * 1000))
    *replies, synced = await link.run([*commands, wait], WAITAOF_TIMEOUT * 1.5)
    if isinstance(synced, ResponseError):
        error = SpillUnavailableError(f"Redis does not wait for its log: {synced}")
        # It did when it was checked: the next session finds out, and tells, which setting has been changed.
        link.fail(error)
        raise error
    if synced[0] < 1:
        raise SpillUnavailableError(f"Redis did not write its log to disk within {WAITAOF_TIMEOUT:g} s")
    return replies


Batch = list[tuple[Sequence[Command], asyncio.Future[list[Reply]]]]


def _fail(batch: Batch, error: SpillUnavailableError) -> None:
    for _, future in batch:
        if not future.done():
            future.set_exception(error)


def _resolve(batch: Batch, replies: list[Reply]) -> None:
    answers = iter(replies)
    for commands, future in batch:
        own = [next(answers) for _ in commands]
        if not future.done():
            future.set_result(own)
