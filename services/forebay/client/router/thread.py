"""A thread: a name, a queue, and ways to send."""

import asyncio
from typing import TYPE_CHECKING

from forebay.client.router.asking import Asking
from forebay.client.router.errors import NoReplyError, OverflowingError
from forebay.client.router.pacing import Pacing
from forebay.client.router.recipients import Recipient, Recipients
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.address import check_name
from forebay.router.core.events import Dropped, Event
from forebay.router.core.flags import DROP_OK, MULTICAST, NOTIFY_DROP, REPLY, REQUEST, URGENT
from forebay.router.core.message import Fields, Marker, Message, check_fields
from forebay.router.core.outbox import Chunk, Outbox
from forebay.router.core.skal import ALARM_BLOCK_LIMIT, DEFAULT_TTL, DROP_NAMES
from forebay.router.core.threadqueue import QueueLimits, ThreadQueue

if TYPE_CHECKING:
    from forebay.client.router.process import Process


class Thread:
    """Made by `Process.thread`. All methods have to be called on the event loop of the process.

    While a recipient of its messages is full, or too much of what it sent has no receipt, a thread handles no message;
    events reach it all the same. `send` itself never waits: a program that sends on its own account, and not as the
    answer to a message, awaits `drain` now and then.
    """

    def __init__(self, process: "Process", name: str, incarnation: int, limits: QueueLimits) -> None:
        """See `Process.thread`. `incarnation` is a multiple of `recipients.MOST_NUMBERS`."""
        self.name = name
        self.incarnation = incarnation
        self.address = f"{name}@{process.domain}"
        """`name@domain`."""
        self.queue: ThreadQueue[Event, Message] = ThreadQueue(limits)
        """What it has not handled yet."""
        self.pacing = Pacing(process.settings.flow, process.clock, self._ask_xon, self._overdue)
        """When it has to wait."""
        self.ending = False
        """It takes nothing any more."""
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when it has ended, with the exception of its handler if there was one."""
        self._process = process
        self._recipients = Recipients(self, process)
        self._asking = Asking()

    def __repr__(self) -> str:
        return f"<Thread {self.address}>"

    # Sending.

    def send(
        self,
        recipient: str,
        name: str,
        body: bytes = b"",
        fields: Fields | None = None,
        *,
        flags: int = NOTIFY_DROP,
        ttl: int = DEFAULT_TTL,
    ) -> None:
        """Send a message to a thread, `name` or `name@domain`.

        flags: bits of `Flag`. ttl: routers that it may pass. Raises `BadNameError`, `FieldTypeError`,
        `ThreadEndedError`, and `OverflowingError` when messages are sent without ever awaiting `drain`.
        """
        self._emit(recipient, name, body, fields, flags, ttl)

    def multicast(
        self,
        group: str,
        name: str,
        body: bytes = b"",
        fields: Fields | None = None,
        *,
        flags: int = 0,
        ttl: int = DEFAULT_TTL,
    ) -> None:
        """Send a message to all members of a group, `name` or `name@domain`, that take messages of that name.

        It is sent once, and makes nobody wait.
        """
        self._post(self._recipients.group(group), name, body, fields, flags | MULTICAST, ttl, 0)

    async def request(
        self,
        recipient: str,
        name: str,
        body: bytes = b"",
        fields: Fields | None = None,
        *,
        within: float = 30.0,
        ttl: int = DEFAULT_TTL,
    ) -> Message:
        """Send a message to a thread and wait so many seconds for its reply.

        Raises `DroppedError` as soon as it is known that the message was dropped, `NoReplyError` after the time, and
        what `send` raises.
        """
        to = self._recipients.find(recipient)
        # It has to be known before it is sent: in the same process it may be dropped at once.
        number, reply = self._asking.begin(self._recipients.next_mark(to), within)
        try:
            self._emit(recipient, name, body, fields, NOTIFY_DROP | REQUEST, ttl, number)
            return await reply
        except TimeoutError:
            raise NoReplyError(f"{to.address} gave no reply to {name} within {within:g} s") from None
        finally:
            self._asking.end(number)

    def reply(self, request: Message, name: str, body: bytes = b"", fields: Fields | None = None) -> None:
        """Answer a request. Raises `ValueError` when the message is none, and what `send` raises."""
        if not request.head.flags & REQUEST:
            raise ValueError(f"{request} is no request: nobody waits for a reply to it")
        self._emit(request.head.sender, name, body, fields, REPLY, DEFAULT_TTL, request.correlation)

    async def drain(self) -> None:
        """Wait until messages may be sent: no recipient is full, and not too much is on its way."""
        await self.pacing.drain()

    def _emit(
        self,
        address: str,
        name: str,
        body: bytes,
        fields: Fields | None,
        flags: int,
        ttl: int,
        correlation: int = 0,
    ) -> None:
        recipient = self._recipients.known.get(address)
        if recipient is None or recipient.epoch != self._process.epoch:
            recipient = self._recipients.find(address)
        target = recipient.target
        if target is None:
            self._post(recipient, name, body, fields, flags, ttl, correlation)
            return
        recipient.sequence = sequence = recipient.sequence + 1
        head = recipient.head(self.address, ttl, flags)
        target.push(Message(head, sequence, name, bytes(body), fields and check_fields(fields), correlation), self)

    def _post(
        self,
        recipient: Recipient,
        name: str,
        body: bytes,
        fields: Fields | None,
        flags: int,
        ttl: int,
        correlation: int,
    ) -> None:
        """By way of the router."""
        outbox = recipient.outbox or self._recipients.outbox(recipient)
        outbox.put(name, bytes(body), fields and check_fields(fields), ttl, int(flags), correlation)
        if not outbox.queued:
            recipient.used = self._process.now
            self._process.outgoing.ready(outbox)
        if outbox.full and not self.pacing.window_full(outbox):
            most = self._process.settings.most_octets
            if outbox.octets > most:
                raise OverflowingError(recipient.address, outbox.octets, most)

    # Groups and alarms.

    def join(self, group: str, pattern: str = "") -> None:
        """Take the messages of a group of this domain whose whole names match the regular expression; empty: all.

        May be called again with other patterns. Raises `BadNameError`.
        """
        check_name("group", group)
        self._process.join(self.name, group, pattern)

    def leave(self, group: str) -> None:
        """Take no more messages of a group."""
        self._process.leave(self.name, group)

    def raise_alarm(
        self, name: str, comment: str = "", *, severity: pb.Severity = pb.SEVERITY_WARNING, auto_off: bool = False
    ) -> None:
        """Turn an alarm on. auto_off: this thread will turn it off by itself, by `clear_alarm`."""
        self._process.outgoing.alarm(
            pb.Alarm(name=name, severity=severity, on=True, auto_off=auto_off, origin=self.address, comment=comment)
        )

    def clear_alarm(self, name: str) -> None:
        """Turn an alarm of this thread off."""
        self._process.outgoing.alarm(pb.Alarm(name=name, on=False, origin=self.address))

    # The end.

    def stop(self) -> None:
        """End once the message that is being handled is done; what is in the queue is dropped, and its senders told."""
        self.ending = True
        self.pacing.wake()

    async def end(self) -> None:
        """End as by `stop`, and wait until that is done, and what was sent has its receipts."""
        self.stop()
        await asyncio.wait([self.ended])
        await self._process.flushed(self)

    async def wait(self) -> None:
        """Wait until the thread has ended. Raises the exception that its handler has raised."""
        await asyncio.shield(self.ended)

    # What comes; called by the process and by threads of the same one.

    def push(self, message: Message, sender: "Thread") -> None:
        """A thread of the same process sends a message."""
        flags = message.head.flags
        if flags & REPLY:
            self._asking.answer(message)
        elif self.ending:
            sender.dropped(
                Dropped(DROP_NAMES[pb.OUTCOME_SHUTDOWN], message.marker, self.address, "the thread is ending"), flags
            )
        else:
            self.queue.put(message, urgent=flags & URGENT != 0)
            self.pacing.wake()
            if self.queue.full and sender is not self:
                sender.pacing.xoff(self.address)
                self.pacing.waiters.add(sender.address)

    def deliver(self, messages: list[Message], sender: str, flags: int) -> bool:
        """Messages that have come from another process; whether their sender has to wait."""
        if flags & REPLY:
            for message in messages:
                self._asking.answer(message)
            return False
        self.queue.extend(messages, urgent=flags & URGENT != 0)
        self.pacing.wake()
        full = self.queue.full
        if full:
            self.pacing.waiters.add(sender)
        return full

    def dropped(self, event: Dropped, flags: int) -> None:
        """A message was dropped that had those flags."""
        if not self._asking.dropped(event) and flags & NOTIFY_DROP and not flags & REQUEST:
            self.tell(event)

    def given_up(self, outbox: Outbox, chunks: list[Chunk], notice: str, extra: str) -> None:
        """Messages were dropped."""
        for chunk in chunks:
            for sequence in range(chunk.first, chunk.first + chunk.count):
                marker = Marker(self.address, outbox.incarnation, sequence)
                self.dropped(Dropped(notice, marker, outbox.recipient, extra), chunk.flags)

    def drop_receipt(self, outbox: Outbox, chunks: list[Chunk], receipt: pb.Receipt, notice: str) -> None:
        """Word has come that messages were dropped. Of those that were kept it counts once."""
        kept = not receipt.flags & DROP_OK and receipt.outcome != pb.OUTCOME_SHUTDOWN
        if chunks:
            self.given_up(outbox, chunks, notice, receipt.extra)
        elif not kept:
            chunk = Chunk(receipt.first, receipt.count, 0, receipt.flags, b"")
            self.given_up(outbox, [chunk], notice, receipt.extra)

    def tell(self, event: Event) -> None:
        """Something has happened that the thread may want to know."""
        if not self.ending:
            self.queue.put_internal(event)
            self.pacing.wake()

    def release(self) -> None:
        """The queue is low: those who wait may go on."""
        for sender in self.pacing.waiters.release():
            self._process.tell_xon(self, sender)

    def _ask_xon(self, blocker: str) -> None:
        self._process.ask_xon(self, blocker)

    def _overdue(self, blocker: str) -> None:
        self.raise_alarm(ALARM_BLOCK_LIMIT, f"{self.address} waits for {blocker} no more, whose queue stays full")

    def forget_idle(self, before: float) -> None:
        """Let go of recipients to whom nothing was sent since."""
        self._recipients.forget_idle(before)

    def close(self, error: BaseException | None) -> None:
        """It has ended: nobody waits for it any more."""
        self.ending = True
        self.release()
        self.pacing.close()
        self._asking.close(self.name)
        if error is None:
            self.ended.set_result(None)
        else:
            self.ended.set_exception(error)
            self.ended.exception()  # whoever calls `wait` gets it, and nobody has to
