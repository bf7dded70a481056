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
"""Messages whose receipts wait, at most: their senders may soon have to wait for them."""
GATHERING_SECONDS = 0.005
"""How long receipts let requests go without them, so that one is for many messages: whoever asks and is answered
thousands of times a second does not wait for receipts, and each costs everybody on the way as much as a message.
"""


class Outgoing:
    """Gathers until somebody takes."""

    def __init__(self, request_octets: int) -> None:
        """`request_octets` is of the messages in one request."""
        self.wake: Callable[[], None] = lambda: None
        """Called when there is something to take."""
        self.wake_later: Callable[[], None] = lambda: None
        """Called when there is something that may wait a little: a receipt goes with what is sent later, or is for more
        messages by then. Afterwards `hasten` has to be called.
        """
        self._request_octets = request_octets
        self._ready: deque[Outbox] = deque()
        self._births: list[pb.Birth] = []
        self._memberships: list[pb.Membership] = []
        self._signals: list[pb.Signal] = []
        self._receipts: list[pb.Receipt] = []
        self._runs: dict[int, pb.Receipt] = {}
        """The last receipt of each incarnation that says that messages were received."""
        self._received = 0
        """Messages that the receipts say were received."""
        self._pressing = False
        """The receipts are to go now."""
        self._passed: float | None = None
        """When a request went without the receipts for the first time."""
        self._alarms: list[pb.Alarm] = []
        self._deaths: list[str] = []

    @property
    def withholding(self) -> bool:
        """There are receipts that wait."""
        return bool(self._receipts)

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

    def received(self, parcel: pb.Parcel) -> None:
        """The messages of a parcel were received. Runs that follow each other become one receipt."""
        first, count, incarnation = parcel.first, parcel.count, parcel.incarnation
        self._received += count
        run = self._runs.get(incarnation)
        if run is not None and run.first + run.count == first and run.sender == parcel.sender:
            run.count += count
        else:
            run = self._runs[incarnation] = self._receipt(parcel, first, count, pb.OUTCOME_RECEIVED)
            self._receipts.append(run)
            self.wake_later()
        if self._received > MOST_RECEIVED:
            self.hasten()

    def receipt(self, parcel: pb.Parcel, first: int, count: int, outcome: pb.Outcome, extra: str = "") -> None:
        """What else became of messages of a parcel."""
        receipt = self._receipt(parcel, first, count, outcome)
        receipt.flags, receipt.extra = parcel.flags, extra
        self._receipts.append(receipt)
        self.hasten()

    @staticmethod
    def _receipt(parcel: pb.Parcel, first: int, count: int, outcome: pb.Outcome) -> pb.Receipt:
        return pb.Receipt(
            sender=parcel.sender,
            recipient=parcel.recipient,
            incarnation=parcel.incarnation,
            first=first,
            count=count,
            outcome=outcome,
            ttl=CONTROL_TTL,
        )

    def hasten(self) -> None:
        """The receipts are to wait no longer, if there are any."""
        if self._receipts:
            self._pressing = True
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
        self.hasten()

    def alarm(self, alarm: pb.Alarm) -> None:
        """An alarm has changed."""
        self._alarms.append(alarm)
        self.wake()

    def take(self, now: float) -> pb.AttachRequest | None:
        """The next request; None when there is nothing."""
        request = pb.AttachRequest()
        if self._births or self._memberships or self._alarms or self._deaths:
            self._tell(request)
        elif not (self._ready or self._signals or self._pressing):
            return None
        # What is empty is not touched: most requests are small, and each look at a part costs as much as its content.
        freight = request.freight
        if self._ready:
            self._load(freight, now)
        if self._signals:
            freight.signals.extend(self._signals)
            self._signals = []
        if self._receipts and self._due(now):
            freight.receipts.extend(self._receipts)
            self._receipts, self._runs, self._received = [], {}, 0
            self._pressing, self._passed = False, None
        return request

    def _due(self, now: float) -> bool:
        """Whether the receipts go with the request of this moment."""
        if self._passed is None:
            self._passed = now
        return self._pressing or now - self._passed >= GATHERING_SECONDS

    def _tell(self, request: pb.AttachRequest) -> None:
        """What becomes of threads, and alarms."""
        # A name whose former thread has ended is given up before it is taken anew.
        if not (self._deaths and {birth.name for birth in self._births}.intersection(self._deaths)):
            request.births.extend(self._births)
            request.memberships.extend(self._memberships)
            self._births, self._memberships = [], []
        request.alarms.extend(self._alarms)
        request.deaths.extend(self._deaths)
        self._alarms, self._deaths = [], []

    def _load(self, freight: pb.Freight, now: float) -> None:
        """Parcels of all outboxes in turn."""
        parcels = freight.parcels
        octets, ready = 0, self._ready
        while ready and octets < self._request_octets:
            outbox = ready.popleft()
            if parcel := outbox.take(now):
                parcels.append(parcel)
                octets += len(parcel.messages)
            if outbox.waiting:
                ready.append(outbox)
            else:
                outbox.queued = False

    def restart(self) -> None:
        """The way to the router was cut: what it was to be told about threads and signals is out of date."""
        self._births, self._memberships, self._signals, self._deaths = [], [], [], []
