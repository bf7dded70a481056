"""Requests of one thread that have no reply yet."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

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
        self._replies: dict[int, Reply] = {}
        self._numbers: dict[Mark, int] = {}

    @contextmanager
    def one(self, mark: Mark) -> Iterator[tuple[int, Reply]]:
        """A request whose message will have that mark: its number, and what gets the reply."""
        self._last = number = self._last + 1
        reply: Reply = asyncio.get_running_loop().create_future()
        self._replies[number], self._numbers[mark] = reply, number
        try:
            yield number, reply
        finally:
            del self._replies[number], self._numbers[mark]

    def answer(self, message: Message) -> None:
        """A reply has come. One that nobody waits for any more is let go of."""
        reply = self._replies.get(message.correlation)
        if reply and not reply.done():
            reply.set_result(message)

    def dropped(self, event: Dropped) -> bool:
        """A message was dropped; whether it was a request."""
        marker = event.original_marker
        number = self._numbers.get((marker.incarnation, marker.sequence))
        if number is None:
            return False
        reply = self._replies[number]
        if not reply.done():
            reply.set_exception(DroppedError(event))
        return True

    def close(self, name: str) -> None:
        """The thread of that name has ended."""
        for reply in self._replies.values():
            if not reply.done():
                reply.set_exception(ThreadEndedError(f"thread {name} has ended before the reply came"))
