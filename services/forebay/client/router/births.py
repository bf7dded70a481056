"""Threads that wait to be registered."""

import asyncio
from typing import TYPE_CHECKING

from forebay.client.router.errors import RegistrationError, ThreadEndedError
from forebay.pb.router.v1 import router_pb2 as pb

if TYPE_CHECKING:
    from forebay.client.router.outgoing import Outgoing
    from forebay.client.router.thread import Thread


class Births:
    """By name and incarnation. A router that is lost before it answers is told again, as of all threads."""

    def __init__(self, process: str, outgoing: "Outgoing") -> None:
        self._process = process
        self._outgoing = outgoing
        self._waiting: dict[tuple[str, int], asyncio.Future[None]] = {}

    async def register(self, thread: "Thread", running: asyncio.Task[None], *, attached: bool) -> None:
        """Wait until a router knows a thread; `running` is done when the process has ended.

        Raises `RegistrationError` when it does not let it have its name, and `ThreadEndedError`.
        """
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        key = (thread.name, thread.incarnation)
        self._waiting[key] = answered
        try:
            if attached:
                self._outgoing.birth(*key)
            await asyncio.wait([answered, running], return_when=asyncio.FIRST_COMPLETED)
            if not answered.done():
                raise ThreadEndedError(f"process {self._process} has ended before the router knew thread {thread.name}")
            answered.result()
        finally:
            del self._waiting[key]

    def answered(self, registration: pb.Registration) -> bool:
        """A router tells what became of a thread; whether somebody has waited for that."""
        answered = self._waiting.get((registration.name, registration.incarnation))
        if answered is None or answered.done():
            return False
        if registration.state == pb.REGISTRATION_STATE_REGISTERED:
            answered.set_result(None)
        else:
            answered.set_exception(RegistrationError(registration))
        return True
