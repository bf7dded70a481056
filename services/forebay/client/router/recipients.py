"""Whom a thread sends to: threads of the same process, and those that the router knows."""

from typing import TYPE_CHECKING

from forebay.client.router.errors import ThreadEndedError
from forebay.router.core.address import check_address, qualified
from forebay.router.core.message import Head
from forebay.router.core.outbox import Outbox

if TYPE_CHECKING:
    from forebay.client.router.process import Process
    from forebay.client.router.thread import Thread

MOST_NUMBERS = 2**24
"""Incarnations that a thread has for its recipients."""


class Recipient:
    """Whom a thread sends to."""

    __slots__ = ("_head", "address", "epoch", "number", "outbox", "sequence", "target", "used")

    def __init__(self, address: str, number: int) -> None:
        """`address` has its domain; `number` is the incarnation of what goes straight to the target."""
        self.address = address
        self.number = number
        self.target: Thread | None = None
        """The thread, where it is of the same process."""
        self.epoch = -1
        """Of the process, when that was found out."""
        self.outbox: Outbox | None = None
        """What is sent by way of the router; None: nothing was."""
        self.sequence = 0
        """Of the last message that went straight to the target."""
        self.used = 0.0
        """When something began to be sent by way of the router, not long ago."""
        self._head = Head("", address, 0, 0, 0)

    def head(self, sender: str, ttl: int, flags: int) -> Head:
        """The head of a message that goes straight to the target; messages of one kind have one in common."""
        head = self._head
        if head.flags != flags or head.ttl != ttl or not head.sender:
            head = self._head = Head(sender, self.address, self.number, ttl, flags)
        return head


class Recipients:
    """All recipients of one thread, by the addresses that it used."""

    def __init__(self, thread: "Thread", process: "Process") -> None:
        self.known: dict[str, Recipient] = {}
        """Whose `epoch` is that of the process are up to date."""
        self._thread = thread
        self._process = process
        self._groups: dict[str, Recipient] = {}
        self._numbers = 0

    def find(self, address: str) -> Recipient:
        """A recipient, with or without a domain, and whether it is of this process now.

        Raises `BadNameError`, and `ThreadEndedError` when the thread has ended.
        """
        self._check()
        recipient = self.known.get(address)
        if recipient is None:
            full = qualified(check_address(address), self._process.domain)
            recipient = self.known.get(full) or Recipient(full, self._number())
            self.known[address] = self.known[full] = recipient
        recipient.target = self._process.local(recipient.address)
        recipient.epoch = self._process.epoch
        return recipient

    def group(self, address: str) -> Recipient:
        """A group, likewise; members of this process are reached by way of the router as well."""
        self._check()
        group = self._groups.get(address)
        if group is None:
            full = qualified(check_address(address), self._process.domain)
            group = self._groups[address] = Recipient(full, 0)
        return group

    def _check(self) -> None:
        if self._thread.ended.done():
            raise ThreadEndedError(f"thread {self._thread.name} has ended: it sends nothing any more")

    def _number(self) -> int:
        self._numbers += 1
        if self._numbers >= MOST_NUMBERS:
            raise ThreadEndedError(
                f"thread {self._thread.name} has had {self._numbers} recipients: end it, and begin another"
            )
        return self._thread.incarnation + self._numbers

    def outbox(self, recipient: Recipient) -> Outbox:
        """The outbox to a recipient, opened when there is none."""
        if recipient.outbox is None:
            outbox = Outbox(self._thread.address, recipient.address, self._number(), self._process.settings.outbox)
            recipient.outbox = outbox
            self._process.dispatch.add(outbox, self._thread)
        return recipient.outbox

    def next_mark(self, recipient: Recipient) -> tuple[int, int]:
        """Incarnation and sequence of the next message to a recipient."""
        if recipient.target is not None:
            return recipient.number, recipient.sequence + 1
        outbox = self.outbox(recipient)
        return outbox.incarnation, outbox.next

    def forget_idle(self, before: float) -> None:
        """Let go of those to whom nothing was sent since, and all of whose messages have their receipts."""
        for recipients in (self.known, self._groups):
            for address, recipient in list(recipients.items()):
                outbox = recipient.outbox
                if recipient.used < before and (outbox is None or outbox.empty):
                    del recipients[address]
                    if outbox is not None:
                        self._process.dispatch.remove(outbox)
