"""The router: runs an owner's commands on the server that serves their slot, following redirections."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from redis.exceptions import AskError, MovedError, NoScriptError, ReadOnlyError, ResponseError, TryAgainError

from forebay.spill.address import Endpoint
from forebay.spill.answers import meaning_of
from forebay.spill.errors import LeaseLostError, SpillError, SpillUnavailableError
from forebay.spill.link import Reply
from forebay.spill.metrics import SpillMetrics
from forebay.spill.scripts import Command, with_text
from forebay.spill.server import Server
from forebay.spill.session import Channel, Session
from forebay.spill.topology import Topology

ATTEMPTS = 16
RETRY_PAUSE = 0.05
"""Seconds before a command is tried again while its slot is on the move."""
CONNECT_WAIT = 1.0
"""Seconds a server that a redirection names has to be connected."""

AGAIN = (MovedError, AskError, TryAgainError, NoScriptError)
"""What is answered to a command that has to be sent again, perhaps elsewhere."""


class Answered(NamedTuple):
    """Replies, in the order of the commands, and who gave the last of them."""

    replies: list[Reply]
    server: Server
    session: Session


class Router:
    """One for all owners of a service."""

    def __init__(self, topology: Topology, metrics: SpillMetrics) -> None:
        self._topology = topology
        self._metrics = metrics

    def run_id(self, slot: int) -> str:
        """Which run of Redis serves a slot now. Raises `SpillUnavailableError` and `SpillCheckError`."""
        return self._topology.server(slot).session().run_id

    async def run(
        self, slot: int, commands: Sequence[Command], *, run_id: str | None = None, channel: Channel = Channel.WORK
    ) -> Answered:
        """Run commands whose keys are all in one slot.

        When one has to be sent again (a redirection, an unknown script) all behind it are as well, so a command may
        run twice and out of order: scripts that mind compare turns. With `run_id` only that run of Redis will do.
        Raises `SpillUnavailableError`, `SpillCheckError` and `LeaseLostError` (another run of Redis).
        """
        began = asyncio.get_running_loop().time()
        replies: list[Reply] = []
        rest = list(commands)
        server, asking = self._topology.server(slot), False
        for _ in range(ATTEMPTS):
            session = _session(server, run_id)
            answers = await _send(session, channel, rest, asking=asking)
            done = next((at for at, answer in enumerate(answers) if isinstance(answer, AGAIN)), len(answers))
            replies += answers[:done]
            if done == len(answers):
                self._metrics.batches += 1
                self._metrics.script_seconds += asyncio.get_running_loop().time() - began
                return Answered(replies, server, session)
            rest = rest[done:]
            if isinstance(answers[done], NoScriptError):
                rest[0] = with_text(rest[0])
            else:
                server, asking = await self._follow(slot, server, answers[done], asking=asking, leased=bool(run_id))
        raise SpillUnavailableError(f"{server}: slot {slot} is on the move")

    async def _follow(
        self, slot: int, server: Server, error: ResponseError, *, asking: bool, leased: bool
    ) -> tuple[Server, bool]:
        """Where to send what was refused, and whether by asking."""
        if isinstance(error, MovedError):
            target = await self._connected(server, error)
            self._topology.moved(slot, target)
            return target, False
        if isinstance(error, AskError) and not leased:
            return await self._connected(server, error), True
        # A lease holds in one run of Redis only: its owner waits until all its keys have moved there.
        await asyncio.sleep(RETRY_PAUSE)
        return server, asking

    async def _connected(self, server: Server, error: AskError) -> Server:
        """The server that a redirection names."""
        endpoint = Endpoint(error.host or _host_of(server), error.port)
        target = self._topology.at(endpoint)
        try:
            async with asyncio.timeout(CONNECT_WAIT):
                await target.connected()
        except TimeoutError:
            raise SpillUnavailableError(f"{server} names {endpoint}, which does not answer") from None
        return target


def checked(answered: Answered) -> list[Reply]:
    """The replies. Raises what an error among them means."""
    for reply in answered.replies:
        if isinstance(reply, ResponseError):
            raise meaning(reply, answered)
    return answered.replies


def meaning(error: ResponseError, answered: Answered) -> SpillError:
    """The error of this package that an answer of Redis stands for."""
    failure = meaning_of(error, answered.server)
    if isinstance(error, ReadOnlyError) and isinstance(failure, SpillUnavailableError):
        answered.session.fail(failure)
    return failure


def _session(server: Server, run_id: str | None) -> Session:
    session = server.session()
    if run_id is not None and session.run_id != run_id:
        raise LeaseLostError(f"{server} is not the run of Redis that gave the lease: load the spool again")
    return session


async def _send(session: Session, channel: Channel, commands: list[Command], *, asking: bool) -> list[Reply]:
    if not asking:
        return await session.run(channel, commands)
    sent: list[Command] = [part for command in commands for part in (("ASKING",), command)]
    return (await session.run(channel, sent))[1::2]


def _host_of(server: Server) -> str:
    return server.endpoint.host if server.endpoint else ""
