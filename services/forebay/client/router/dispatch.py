"""All that a process has sent by way of the router, and that may have to be sent again."""

from collections.abc import Callable, Container

from forebay.client.router.outgoing import Outgoing
from forebay.client.router.thread import Thread
from forebay.router.core.outbox import Outbox
from forebay.runtime import Clock

LOOK_SECONDS = 0.01
"""How often is looked whether all receipts have come."""

Owned = tuple[Outbox, Thread]


class Dispatch:
    """The outboxes of all threads, those that have ended too."""

    def __init__(self, outgoing: Outgoing, clock: Clock) -> None:
        self._outgoing = outgoing
        self._clock = clock
        self._outboxes: dict[int, Owned] = {}

    def add(self, outbox: Outbox, thread: Thread) -> None:
        """A thread begins to send to somebody."""
        self._outboxes[outbox.incarnation] = outbox, thread

    def remove(self, outbox: Outbox) -> None:
        """It is used no more."""
        self._outboxes.pop(outbox.incarnation, None)

    def get(self, incarnation: int) -> Owned | None:
        """The one of that incarnation, and whose it is."""
        return self._outboxes.get(incarnation)

    def to(self, recipients: Container[str]) -> list[Owned]:
        """Those to one of these recipients."""
        return [owned for owned in self._outboxes.values() if owned[0].recipient in recipients]

    def rewind(self) -> None:
        """The way to the router was cut: what has no receipt is sent again."""
        for outbox, _ in self._outboxes.values():
            outbox.rewind()
            if outbox.waiting:
                self._outgoing.ready(outbox)

    def repeat(self, now: float) -> None:
        """Send again what has waited for its receipt for too long."""
        for outbox, _ in self._outboxes.values():
            if outbox.overdue(now):
                self._outgoing.ready(outbox)

    def tidy(self) -> None:
        """Let go of what threads that have ended left behind."""
        gone = [outbox for outbox, owner in self._outboxes.values() if owner.ended.done() and outbox.empty]
        for outbox in gone:
            self.remove(outbox)

    def unresolved(self) -> int:
        """Messages that have no receipt."""
        return sum(outbox.messages for outbox, _ in self._outboxes.values())

    async def emptied(self, chosen: Callable[[Thread], bool]) -> None:
        """Wait until all that the chosen threads have sent has its receipt."""
        while any(not outbox.empty for outbox, owner in self._outboxes.values() if chosen(owner)):
            await self._clock.sleep(LOOK_SECONDS)
