"""What waits to be written to one process, or over one link."""

from collections import deque
from typing import TYPE_CHECKING, Protocol

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.settings import OutletLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Overflowing(Protocol):
    """Where parcels wait for which there is no memory."""

    outlet: "Outlet"
    """To which they come back."""

    def put(self, parcel: pb.Parcel) -> bool:
        """Have a parcel wait; False: it is refused."""
        ...

    def wake(self) -> None:
        """There is room."""
        ...

    def close(self) -> None:
        """The outlet is gone."""
        ...


Waiter = tuple[str, str]
"""A sender that was told to wait, and the recipient in whose name it was."""

MOST_RECEIPTS = 10_000
"""That go into one gRPC message."""
BURDEN = 5 * MOST_RECEIPTS
"""Receipts that wait for whoever goes on sending and does not read, from which on nothing more is read of it."""


class Outlet:
    """Gathers until somebody takes. Takes everything, as queues of threads do; tells when it is full."""

    def __init__(self, name: str, limits: OutletLimits) -> None:
        """`name` is that of the process or the router at the other end."""
        self.name = name
        self.octets = 0
        """Octets of the messages that wait."""
        self.wake: Callable[[], None] = lambda: None
        """Called when there is something to take."""
        self.release: Callable[[Outlet, Iterable[Waiter]], None] = lambda *_: None
        """Called with itself and the waiters once it is low again."""
        self.limits = limits
        """May be replaced at any time."""
        self.overflow: Overflowing | None = None
        """What does not find room here; None as long as all does."""
        self.spilling = False
        """Something waits there: what comes has to wait behind it."""
        self._parcels: deque[pb.Parcel] = deque()
        self._signals: dict[tuple[str, str, pb.SignalKind], pb.Signal] = {}
        """In their order. Between two threads each kind waits once: those who wait repeat what they ask."""
        self._receipts: list[pb.Receipt] = []
        self._obituaries: list[pb.Obituary] = []
        self._waiters: dict[Waiter, None] = {}
        self._high = False
        """It was full, and has not been low since."""

    @property
    def full(self) -> bool:
        """Those who send here have to wait."""
        return self.octets >= self.limits.high

    @property
    def overfull(self) -> bool:
        """Nothing more is to be added."""
        return self.octets >= self.limits.most

    @property
    def burdened(self) -> bool:
        """So many receipts wait that whoever causes them is not to be listened to."""
        return len(self._receipts) >= BURDEN

    def parcel(self, parcel: pb.Parcel) -> None:
        """Add messages."""
        self._parcels.append(parcel)
        self.octets += len(parcel.messages)
        self._high = self._high or self.full
        self.wake()

    def signal(self, signal: pb.Signal) -> None:
        """Add a signal."""
        key = (signal.sender, signal.recipient, signal.kind)
        self._signals.pop(key, None)
        self._signals[key] = signal
        self.wake()

    def receipt(self, receipt: pb.Receipt) -> None:
        """Add a receipt."""
        self._receipts.append(receipt)
        self.wake()

    def obituary(self, obituary: pb.Obituary) -> None:
        """Add the news of a crash."""
        self._obituaries.append(obituary)
        self.wake()

    def wait(self, sender: str, recipient: str) -> None:
        """A sender waits until this outlet is low again."""
        self._waiters[sender, recipient] = None

    def take(self) -> pb.Freight | None:
        """What goes into the next gRPC message; None when there is nothing."""
        freight = pb.Freight()
        return freight if self.fill(freight) else None

    def fill(self, freight: pb.Freight) -> bool:
        """Put what goes into the next gRPC message there; whether there was anything.

        What is empty is not touched: most messages are small, and each look at a part costs as much as its content.
        """
        parcels = bool(self._parcels)
        if parcels:
            freight.parcels.extend(self._next_parcels())
        if self._receipts:
            freight.receipts.extend(self._receipts[:MOST_RECEIPTS])
            del self._receipts[:MOST_RECEIPTS]
        elif not (parcels or self._signals or self._obituaries):
            return False
        if self._signals:
            freight.signals.extend(self._signals.values())
            self._signals = {}
        if self._obituaries:
            freight.obituaries.extend(self._obituaries)
            self._obituaries = []
        if parcels and self.octets < self.limits.low:
            self._relax()
        return True

    def _relax(self) -> None:
        """It is low: what waits comes back, or those who wait go on."""
        if self.spilling and self.overflow:
            self.overflow.wake()
        elif self._high:
            waiters, self._high = list(self._waiters), False
            self._waiters.clear()
            self.release(self, waiters)

    def settle(self) -> None:
        """Nothing waits in the overflow any more."""
        self.spilling = False
        if self.octets < self.limits.low:
            self._relax()

    def _next_parcels(self) -> list[pb.Parcel]:
        octets, most = 0, self.limits.response
        found: list[pb.Parcel] = []
        parcels = self._parcels
        while parcels and (not found or octets + len(parcels[0].messages) <= most):
            parcel = parcels.popleft()
            octets += len(parcel.messages)
            found.append(parcel)
        self.octets -= octets
        return found

    def adopt(self, other: "Outlet") -> None:
        """Take over what waits in another, which is not used any more."""
        self._parcels.extend(other._parcels)
        self._signals |= other._signals
        self._receipts += other._receipts
        self._obituaries += other._obituaries
        self._waiters |= other._waiters
        self.octets += other.octets
        self._high = other._high
        self.overflow, self.spilling, other.overflow = other.overflow, other.spilling, None
        if self.overflow:
            self.overflow.outlet = self
        self.wake()

    def close(self) -> list[Waiter]:
        """Forget everything; who waits."""
        self._parcels.clear()
        self.octets = 0
        if self.overflow:
            self.overflow.close()
            self.overflow, self.spilling = None, False
        waiters, self._waiters = list(self._waiters), {}
        return waiters
