"""Where each message goes next: to a process of this router, to another router of the domain, or to another domain."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.alarmboard import AlarmBoard
from forebay.router.core.address import split
from forebay.router.core.flags import MULTICAST
from forebay.router.core.skal import ALARM_DROP_TTL, ALARM_STALLED, CONTROL_TTL, DROP_FULL, DROP_NAMES
from forebay.router.groupways import GroupWays
from forebay.router.limbo import Limbo
from forebay.router.outlet import Outlet, Overflowing, Waiter
from forebay.router.registry import Entry, Registry
from forebay.router.settings import RouterSettings
from forebay.router.traces import Traces
from forebay.runtime.clock import Clock

MOST_OBITUARIES = 10_000
"""Crashes that are remembered, so that each is passed on once."""


class ThreadObserver(Protocol):
    """Who is told of the threads and groups of this router: its links to others of the domain."""

    def thread_added(self, entry: Entry) -> None:
        """A thread has begun."""
        ...

    def thread_removed(self, name: str) -> None:
        """A thread has ended."""
        ...

    def group_changed(self, group: str, *, here: bool) -> None:
        """A group has its first member, or none any more."""
        ...


class Switch:
    """Everything that a router knows of ways, and what it does with what comes. No I/O."""

    def __init__(self, settings: RouterSettings, clock: Clock) -> None:
        self.settings = settings
        self.clock = clock
        self.registry = Registry()
        self.groups = GroupWays()
        self.routes: dict[str, Outlet] = {}
        """Other domains, and the way to each."""
        self.alarms = AlarmBoard(clock)
        self.traces = Traces()
        self.limbo = Limbo(clock, settings.grace, settings.grace_octets)
        self.outlets: set[Outlet] = set()
        """Processes of this router."""
        self.links: set[Outlet] = set()
        """Links that are up, of this domain and to others."""
        self.peers: set[Outlet] = set()
        """Those of them that are of this domain."""
        self.observers: set[ThreadObserver] = set()
        self.messages = 0
        """Messages that were passed on."""
        self.dropped: Counter[str] = Counter()
        """Messages that were dropped, by the name of their notice."""
        self.overflows: Callable[[Outlet], Overflowing | None] = lambda _: None
        """Gives an outlet that is overfull its overflow, if there can be one."""
        self._stalls: dict[Outlet, float] = {}
        """Outlets that are full, and since when."""
        self._obituaries: OrderedDict[str, None] = OrderedDict()

    @property
    def stalled(self) -> int:
        """Outlets that are full."""
        return len(self._stalls)

    def configure(self, settings: RouterSettings) -> None:
        """Be as settings say from now on, but for name and domain, which stay."""
        kept = self.settings
        self.settings = settings = replace(settings, router=kept.router, domain=kept.domain)
        self.limbo.configure(settings.grace, settings.grace_octets)
        for outlet in self.outlets | self.links:
            outlet.limits = settings.outlets

    def outlet(self, name: str) -> Outlet:
        """A new outlet to a process or a router of that name."""
        outlet = Outlet(name, self.settings.outlets)
        outlet.release = self._low
        return outlet

    # Messages.

    def parcels(self, parcels: Iterable[pb.Parcel], source: Outlet | None) -> None:
        """Pass messages on that came from a process or a link; None: from the time of grace."""
        for parcel in parcels:
            if parcel.ttl:
                parcel.ttl -= 1
                self._pass(parcel, source)
            else:
                self._too_far(parcel)

    def _pass(self, parcel: pb.Parcel, source: Outlet | None) -> None:
        name, domain = split(parcel.recipient)
        if domain != self.settings.domain:
            if way := self.routes.get(domain):
                self._send(parcel, way)
            else:
                self.drop(parcel, pb.OUTCOME_NO_NETWORK, f"router {self._here()} knows no way to domain {domain}")
        elif parcel.flags & MULTICAST:
            self._fan_out(parcel, name, source)
        elif entry := self.registry.entries.get(name):
            self._send(parcel, entry.outlet)
        elif not self.limbo.hold(name, parcel):
            self.drop(parcel, pb.OUTCOME_NO_RECIPIENT, f"router {self._here()} knows no thread {parcel.recipient}")

    def _here(self) -> str:
        return f"{self.settings.router}@{self.settings.domain}"

    def _send(self, parcel: pb.Parcel, way: Outlet) -> None:
        if not (way.spilling or way.overfull):
            way.parcel(parcel)
        elif not self._set_aside(parcel, way):
            # Without a receipt its sender sends it again, unless it may be dropped.
            self.dropped[DROP_FULL] += parcel.count
            self._pause(parcel, way)
            return
        self.messages += parcel.count
        if self.traces:
            self.traces.see(parcel, way.name)
        if way.full or way.spilling:
            self._pause(parcel, way)

    def _set_aside(self, parcel: pb.Parcel, way: Outlet) -> bool:
        """Have a parcel wait where there is room for more; False: there is nothing of the kind now."""
        overflow = way.overflow or self.overflows(way)
        return overflow is not None and overflow.put(parcel)

    def _pause(self, parcel: pb.Parcel, way: Outlet) -> None:
        """Its sender has to wait until a way is not full any more."""
        if way.full or way.spilling:
            self._stalls.setdefault(way, self.clock.monotonic())
            if not parcel.flags & MULTICAST:
                way.wait(parcel.sender, parcel.recipient)
                self._tell(parcel.recipient, parcel.sender, pb.SIGNAL_KIND_XOFF)

    def _fan_out(self, parcel: pb.Parcel, group: str, source: Outlet | None) -> None:
        """To every process with members; to other routers of the domain unless it came from one of those."""
        from_peer = source in self.peers
        for way in self.groups.ways(group):
            if not (from_peer and way in self.peers):
                self._send(parcel, way)

    def _too_far(self, parcel: pb.Parcel) -> None:
        here = self._here()
        self.alarms.raise_(ALARM_DROP_TTL, here, pb.SEVERITY_WARNING, f"a message to {parcel.recipient} went too far")
        self.drop(parcel, pb.OUTCOME_TTL, f"router {here} was one too many: send it with a higher ttl")

    def drop(self, parcel: pb.Parcel, outcome: pb.Outcome, extra: str) -> None:
        """Drop messages, and tell their sender."""
        notice = DROP_NAMES[outcome]
        self.dropped[notice] += parcel.count
        if self.traces:
            self.traces.see(parcel, notice)
        if not parcel.flags & MULTICAST:
            self.receipts([_receipt(parcel, outcome, extra)])

    # Receipts, signals and crashes.

    def receipts(self, receipts: Iterable[pb.Receipt]) -> None:
        """Pass receipts on; those whose thread is not known any more end here."""
        for receipt in receipts:
            if receipt.ttl and (way := self._way(receipt.sender)):
                receipt.ttl -= 1
                way.receipt(receipt)

    def signals(self, signals: Iterable[pb.Signal]) -> None:
        """Pass signals on. Who asks a thread that is not there to tell xon is told so at once."""
        for signal in signals:
            way = self._way(signal.recipient)
            asks = signal.kind == pb.SIGNAL_KIND_NTF_XON
            if way is None:
                if asks and not self.limbo.is_open:
                    self._tell(signal.recipient, signal.sender, pb.SIGNAL_KIND_XON)
            elif asks and (way.full or way.spilling):
                way.wait(signal.sender, signal.recipient)
            elif signal.ttl:
                signal.ttl -= 1
                way.signal(signal)

    def _way(self, address: str) -> Outlet | None:
        name, domain = split(address)
        if domain != self.settings.domain:
            return self.routes.get(domain)
        entry = self.registry.entries.get(name)
        return entry.outlet if entry else None

    def _tell(self, sender: str, recipient: str, kind: pb.SignalKind) -> None:
        if way := self._way(recipient):
            way.signal(pb.Signal(sender=sender, recipient=recipient, kind=kind, ttl=CONTROL_TTL))

    def _low(self, way: Outlet, waiters: Iterable[Waiter]) -> None:
        if self._stalls.pop(way, None) is not None:
            self.alarms.settle(ALARM_STALLED, way.name)
        self.release(waiters)

    def release(self, waiters: Iterable[Waiter]) -> None:
        """Tell those who wait that they may go on."""
        for sender, recipient in waiters:
            self._tell(recipient, sender, pb.SIGNAL_KIND_XON)

    def obituary(self, obituary: pb.Obituary, source: Outlet | None) -> None:
        """Tell every process and every link of a crash, once."""
        if obituary.id in self._obituaries:
            return
        self._obituaries[obituary.id] = None
        if len(self._obituaries) > MOST_OBITUARIES:
            self._obituaries.popitem(last=False)
        for outlet in self.outlets | self.links:
            if outlet is not source:
                outlet.obituary(obituary)

    # Threads and groups of this router.

    def add_thread(self, entry: Entry) -> None:
        """A thread of this router has begun."""
        self.learn_thread(entry)
        for observer in self.observers:
            observer.thread_added(entry)

    def learn_thread(self, entry: Entry) -> None:
        """A thread of the domain is known from now on; messages that were held for it go there."""
        self.registry.add(entry)
        for parcel in self.limbo.claim(entry.name):
            self._send(parcel, entry.outlet)

    def remove_thread(self, name: str, outlet: Outlet) -> None:
        """A thread of this router has ended."""
        for group in self.groups.drop(name, outlet):
            self._group_changed(group, here=False)
        if self.registry.remove(name, outlet):
            for observer in self.observers:
                observer.thread_removed(name)

    def join(self, group: str, thread: str, outlet: Outlet) -> None:
        """A thread of this router joins a group."""
        if self.groups.join(group, thread, outlet):
            self._group_changed(group, here=True)

    def leave(self, group: str, thread: str, outlet: Outlet) -> None:
        """A thread of this router leaves a group."""
        if self.groups.leave(group, thread, outlet):
            self._group_changed(group, here=False)

    def _group_changed(self, group: str, *, here: bool) -> None:
        for observer in self.observers:
            observer.group_changed(group, here=here)

    def tick(self) -> None:
        """Let go of what was held in vain, and raise alarms of who stalls. To be called several times a second."""
        self._look_for_stalls()
        for parcel in self.limbo.expired():
            self.drop(parcel, pb.OUTCOME_NO_RECIPIENT, f"router {self._here()} knows no thread {parcel.recipient}")

    def _look_for_stalls(self) -> None:
        late = self.clock.monotonic() - self.settings.outlets.stalled
        for way, since in list(self._stalls.items()):
            if way not in self.outlets and way not in self.links:
                del self._stalls[way]
                self.alarms.settle(ALARM_STALLED, way.name)
            elif since < late:
                comment = f"{way.name} reads too slowly: whoever sends there has to wait"
                self.alarms.raise_(ALARM_STALLED, way.name, pb.SEVERITY_WARNING, comment, auto_off=True)


def _receipt(parcel: pb.Parcel, outcome: pb.Outcome, extra: str) -> pb.Receipt:
    return pb.Receipt(
        sender=parcel.sender,
        recipient=parcel.recipient,
        incarnation=parcel.incarnation,
        first=parcel.first,
        count=parcel.count,
        outcome=outcome,
        flags=parcel.flags,
        extra=extra,
        ttl=CONTROL_TTL,
    )
