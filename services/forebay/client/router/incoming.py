"""What comes from the router, and where it goes in this process."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import structlog
from google.protobuf.message import DecodeError

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.address import split
from forebay.router.core.events import Crashed
from forebay.router.core.flags import MULTICAST, REPLY, URGENT
from forebay.router.core.intake import Intake, Verdict
from forebay.router.core.message import decode
from forebay.router.core.skal import DROP_NAMES, DROP_NO_RECIPIENT

if TYPE_CHECKING:
    from forebay.client.router.process import Process
    from forebay.client.router.thread import Thread

log = structlog.stdlib.get_logger(__name__)


class Incoming:
    """Hands freight to threads, and tells what became of it."""

    def __init__(self, process: "Process") -> None:
        self._process = process
        self._intake = Intake()
        self._parts: dict[str, Callable[[Any], None]] = {
            "parcels": self._parcels,
            "signals": self._signals,
            "receipts": self._receipts,
            "obituaries": self._obituaries,
        }

    def freight(self, freight: pb.Freight) -> None:
        """All that has come in one gRPC message."""
        # Those parts that are there, in the order of their numbers.
        for part, told in freight.ListFields():
            self._parts[part.name](told)

    def _parcels(self, parcels: Iterable[pb.Parcel]) -> None:
        for parcel in parcels:
            if parcel.flags & MULTICAST:
                self._multicast(parcel)
            else:
                self._parcel(parcel)

    def _signals(self, signals: Iterable[pb.Signal]) -> None:
        for signal in signals:
            self._signal(signal)

    def _obituaries(self, obituaries: Iterable[pb.Obituary]) -> None:
        for obituary in obituaries:
            self._obituary(obituary)

    def _parcel(self, parcel: pb.Parcel) -> None:
        thread = self._process.local(parcel.recipient)
        receipt = self._process.outgoing.receipt
        if thread is None or (thread.ending and not parcel.flags & REPLY):
            # Who is ending drops what comes; who has ended is not known any more.
            outcome = pb.OUTCOME_SHUTDOWN if thread else pb.OUTCOME_NO_RECIPIENT
            receipt(parcel, parcel.first, parcel.count, outcome, f"in process {self._process.name}")
            return
        verdict, skip, expected = self._intake.judge(parcel)
        if verdict is Verdict.GAP:
            receipt(parcel, expected, 1, pb.OUTCOME_GAP)
            return
        self._process.outgoing.received(parcel)
        if verdict is Verdict.TAKE:
            self._deliver(parcel, skip, thread)

    def _deliver(self, parcel: pb.Parcel, skip: int, thread: "Thread") -> None:
        try:
            messages = decode(parcel, skip)
        except DecodeError:
            log.error("octets that are no messages", sender=parcel.sender, recipient=parcel.recipient)
            return
        if thread.deliver(messages, parcel.sender, parcel.flags):
            self._process.outgoing.signal(thread.address, parcel.sender, pb.SIGNAL_KIND_XOFF)

    def _multicast(self, parcel: pb.Parcel) -> None:
        """To every thread that takes it. Nobody is made to wait."""
        verdict, skip, _ = self._intake.judge(parcel)
        if verdict is not Verdict.TAKE:
            return
        group = split(parcel.recipient)[0]
        urgent = parcel.flags & URGENT != 0
        for message in decode(parcel, skip):
            for name in self._process.filters.takers(group, message.name):
                thread = self._process.threads[name]
                if not thread.ending:
                    thread.queue.put(message, urgent=urgent)
                    thread.pacing.wake()

    def _signal(self, signal: pb.Signal) -> None:
        thread = self._process.local(signal.recipient)
        if signal.kind == pb.SIGNAL_KIND_NTF_XON:
            if thread is None or thread.ending or thread.queue.low:
                self._process.outgoing.signal(signal.recipient, signal.sender, pb.SIGNAL_KIND_XON)
            else:
                thread.pacing.waiters.add(signal.sender)
        elif thread is None:
            return
        elif signal.kind == pb.SIGNAL_KIND_XOFF:
            thread.pacing.xoff(signal.sender)
        elif signal.kind == pb.SIGNAL_KIND_XON:
            thread.pacing.xon(signal.sender)

    def _receipts(self, receipts: Iterable[pb.Receipt]) -> None:
        now = self._process.clock.monotonic()
        for receipt in receipts:
            owned = self._process.dispatch.get(receipt.incarnation)
            if owned is None:
                continue
            outbox, thread = owned
            if receipt.outcome == pb.OUTCOME_GAP:
                outbox.gap(receipt.first, now)
            else:
                chunks = outbox.resolve(receipt.first, receipt.count)
                if receipt.outcome != pb.OUTCOME_RECEIVED:
                    thread.drop_receipt(outbox, chunks, receipt, DROP_NAMES[receipt.outcome])
                thread.pacing.received(outbox)
            if outbox.waiting:
                self._process.outgoing.ready(outbox)

    def _obituary(self, obituary: pb.Obituary) -> None:
        """Nobody waits for those who have crashed; what they have not received they never will.

        What came from them is remembered: a process that was only cut off is there again, and sends again.
        """
        names = frozenset(obituary.threads)
        extra = f"process {obituary.process} has crashed: {obituary.reason}"
        for outbox, thread in self._process.dispatch.to(names):
            thread.given_up(outbox, list(outbox.give_up()), DROP_NO_RECIPIENT, extra)
            thread.pacing.received(outbox)
        event = Crashed(obituary.process, tuple(obituary.threads), obituary.reason)
        for thread in self._process.threads.values():
            for name in names.intersection(thread.pacing.blockers):
                thread.pacing.xon(name)
            thread.tell(event)

    def forget(self, address: str) -> None:
        """A thread of this process has ended."""
        self._intake.forget_recipient(address)
