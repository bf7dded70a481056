"""What waits to be told to the router."""

from collections import deque
from typing import TYPE_CHECKING

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.message import Message
from forebay.router.core.outbox import Outbox
from forebay.router.core.skal import CONTROL_TTL

if TYPE_CHECKING:
    from collections.abc import Callable


MOST_RECEIVED = 1024
"""Messages whose receipts wait for company, at most: their senders may soon have to wait for them."""


class Outgoing:
    """Gathers until somebody takes."""

    def __init__(self, request_octets: int) -> None:
        """`request_octets` is of the messages in one request."""
        self.wake: Callable[[], None] = lambda: None
        """Called when there is something to take."""
        self.wake_later: Callable[[], None] = lambda: None
        """Called when there is something that may wait a little for company: a receipt often goes with a reply."""
        self._request_octets = request_octets
        self._ready: deque[Outbox] = deque()
        self._births: list[pb.Birth] = []
        self._memberships: list[pb.Membership] = []
        self._signals: list[pb.Signal] = []
        self._receipts: list[pb.Receipt] = []
        self._received = 0
        """Messages that the receipts say were received."""
        self._alarms: list[pb.Alarm] = []
        self._deaths: list[str] = []

    def ready(self, outbox: Outbox) -> None:
        """An outbox has something to send."""
        if not outbox.queued:
            outbox.queued = True
            self._ready.append(outbox)
            self.wake()

    def birth(self, name: str, incarnation: int) -> None:
        """A thread begins."""
        self._births.append(pb.Birth(name=name, incarnation=incarnation))
        self.wake()

    def death(self, name: str) -> None:
        """A thread has ended."""
        self._deaths.append(name)
        self.wake()

    def membership(self, thread: str, group: str, *, leave: bool = False) -> None:
        """A thread joins a group, or leaves it."""
        self._memberships.append(pb.Membership(thread=thread, group=group, leave=leave))
        self.wake()

    def signal(self, sender: str, recipient: str, kind: pb.SignalKind) -> None:
        """Flow control between two threads."""
        self._signals.append(pb.Signal(sender=sender, recipient=recipient, kind=kind, ttl=CONTROL_TTL))
        self.wake()

    def receipt(self, parcel: pb.Parcel, first: int, count: int, outcome: pb.Outcome, extra: str = "") -> None:
        """What became of messages of a parcel. Runs that follow each other become one."""
        if outcome == pb.OUTCOME_RECEIVED:
            self._received += count
            if self._received > MOST_RECEIVED:
                self.wake()
        last = self._receipts[-1] if self._receipts else None
        if (
            last
            and last.outcome == outcome == pb.OUTCOME_RECEIVED
            and last.incarnation == parcel.incarnation
            and last.sender == parcel.sender
            and last.first + last.count == first
        ):
            last.count += count
            return
        self._receipts.append(
            pb.Receipt(
                sender=parcel.sender,
                recipient=parcel.recipient,
                incarnation=parcel.incarnation,
                first=first,
                count=count,
                outcome=outcome,
                flags=parcel.flags,
                extra=extra,
                ttl=CONTROL_TTL,
            )
        )
        if outcome == pb.OUTCOME_RECEIVED:
            self.wake_later()
        else:
            self.wake()

    def drop(self, message: Message, extra: str) -> None:
        """A message was received, and will not be handled: its thread has ended."""
        head = message.head
        self._receipts.append(
            pb.Receipt(
                sender=head.sender,
                recipient=head.recipient,
                incarnation=head.incarnation,
                first=message.sequence,
                count=1,
                outcome=pb.OUTCOME_SHUTDOWN,
                flags=head.flags,
                extra=extra,
                ttl=CONTROL_TTL,
            )
        )
        self.wake()

    def alarm(self, alarm: pb.Alarm) -> None:
        """An alarm has changed."""
        self._alarms.append(alarm)
        self.wake()

    def take(self, now: float) -> pb.AttachRequest | None:
        """The next request; None when there is nothing."""
        # A name whose former thread has ended is given up before it is taken anew.
        again = self._deaths and {birth.name for birth in self._births}.intersection(self._deaths)
        births = [] if again else self._births
        if not (births or self._memberships or self._signals or self._receipts or self._alarms or self._deaths):
            return pb.AttachRequest(freight=pb.Freight(parcels=self._parcels(now))) if self._ready else None
        request = pb.AttachRequest(
            births=births,
            memberships=[] if again else self._memberships,
            freight=pb.Freight(parcels=self._parcels(now), signals=self._signals, receipts=self._receipts),
            alarms=self._alarms,
            deaths=self._deaths,
        )
        if not again:
            self._births, self._memberships = [], []
        self._signals, self._receipts, self._alarms, self._deaths = [], [], [], []
        self._received = 0
        return request

    def _parcels(self, now: float) -> list[pb.Parcel]:
        """Parcels of all outboxes in turn."""
        found: list[pb.Parcel] = []
        octets, ready = 0, self._ready
        while ready and octets < self._request_octets:
            outbox = ready.popleft()
            if parcel := outbox.take(now):
                found.append(parcel)
                octets += len(parcel.messages)
            if outbox.waiting:
                ready.append(outbox)
            else:
                outbox.queued = False
        return found

    def restart(self) -> None:
        """The way to the router was cut: what it was to be told about threads and signals is out of date."""
        self._births, self._memberships, self._signals, self._deaths = [], [], [], []
