"""What a thread knows of one of its recipients."""

from typing import TYPE_CHECKING

from forebay.router.core.message import Head
from forebay.router.core.outbox import Outbox

if TYPE_CHECKING:
    from forebay.client.router.thread import Thread


class Pair:
    """A thread and whom it sends to: a thread of the same process, or one that the router knows."""

    __slots__ = ("_head", "epoch", "outbox", "recipient", "sequence", "target", "used")

    def __init__(self, recipient: str) -> None:
        """`recipient` has its domain."""
        self.recipient = recipient
        self.target: Thread | None = None
        """The recipient where it is of the same process."""
        self.epoch = -1
        """Of the process, when that was found out."""
        self.outbox: Outbox | None = None
        """What is sent by way of the router; None: nothing was."""
        self.sequence = 0
        """Of the last message that went straight to the target."""
        self.used = 0.0
        """When something was sent by way of the router, not long ago: it is written down at intervals."""
        self._head = Head("", recipient, 0, 0, 0)

    def head(self, sender: str, incarnation: int, ttl: int, flags: int) -> Head:
        """The head of messages that go straight to the target; messages of one kind have one in common."""
        head = self._head
        if head.flags != flags or head.ttl != ttl or head.incarnation != incarnation:
            head = self._head = Head(sender, self.recipient, incarnation, ttl, flags)
        return head
