"""Requests of one thread that have no reply yet."""

import asyncio

from forebay.client.router.errors import DroppedError, ThreadEndedError
from forebay.router.core.events import Dropped
from forebay.router.core.message import Message

Mark = tuple[int, int]
"""Incarnation and sequence of the message of a request."""
Reply = asyncio.Future[Message]


class Asking:
    """Each request has a number, its correlation, which its reply has too."""

    def __init__(self) -> None:
        self._last = 0
        self._open: dict[int, tuple[Reply, Mark, asyncio.TimerHandle]] = {}
        self._numbers: dict[Mark, int] = {}

    def begin(self, mark: Mark, within: float) -> tuple[int, Reply]:
        """A request whose message will have that mark: its number, and what gets the reply.

        After so many seconds it fails with `TimeoutError`. `end` has to follow.
        """
        self._last = number = self._last + 1
        loop = asyncio.get_running_loop()
        reply: Reply = loop.create_future()
        self._open[number] = reply, mark, loop.call_later(within, _expire, reply)
        self._numbers[mark] = number
        return number, reply

    def end(self, number: int) -> None:
        """Nobody waits for the reply any more."""
        _, mark, timer = self._open.pop(number)
        timer.cancel()
        del self._numbers[mark]

    def answer(self, message: Message) -> None:
        """A reply has come. One that nobody waits for any more is let go of."""
        asked = self._open.get(message.correlation)
        if asked and not asked[0].done():
            asked[0].set_result(message)

    def dropped(self, event: Dropped) -> bool:
        """A message was dropped; whether it was a request."""
        marker = event.original_marker
        number = self._numbers.get((marker.incarnation, marker.sequence))
        if number is None:
            return False
        reply = self._open[number][0]
        if not reply.done():
            reply.set_exception(DroppedError(event))
        return True

    def close(self, name: str) -> None:
        """The thread of that name has ended."""
        for reply, _, _ in self._open.values():
            if not reply.done():
                reply.set_exception(ThreadEndedError(f"thread {name} has ended before the reply came"))


def _expire(reply: Reply) -> None:
    if not reply.done():
        reply.set_exception(TimeoutError())
