"""A thread: a name, a queue, and a handler of what is in it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

import structlog

from forebay.client.router.errors import DroppedError, NoReplyError, ThreadEndedError
from forebay.client.router.pair import Pair
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.address import check_address, check_name, qualified
from forebay.router.core.events import Dropped, Event
from forebay.router.core.flags import MULTICAST, NOTIFY_DROP, REPLY, REQUEST, URGENT, Flag
from forebay.router.core.flowcontrol import Throttle, Waiters
from forebay.router.core.message import Fields, Marker, Message, check_fields
from forebay.router.core.outbox import Outbox
from forebay.router.core.skal import ALARM_BLOCK_LIMIT, DEFAULT_TTL, DROP_SHUTDOWN
from forebay.router.core.threadqueue import QueueLimits, ThreadQueue

if TYPE_CHECKING:
    from forebay.client.router.process import Process

OnEvent: TypeAlias = "Callable[[Thread, Event], Awaitable[None] | None]"

log = structlog.stdlib.get_logger(__name__)


class Thread:
    """Made by `Process.thread`. All methods have to be called on the event loop of the process.

    While a recipient of its messages is full, or too much of what it sent has no receipt, a thread handles no message;
    events reach it all the same. `send` itself never waits: a program that sends on its own account, and not as the
    answer to a message, awaits `drain` now and then.
    """

    def __init__(self, process: "Process", name: str, incarnation: int, limits: QueueLimits) -> None:
        """See `Process.thread`. `incarnation` leaves room for the number of a pair in its low octets."""
        self.name = name
        self.incarnation = incarnation
        self.queue: ThreadQueue[Event, Message] = ThreadQueue(limits)
        """What it has not handled yet."""
        self.throttle = Throttle(process.settings.flow)
        """Who has told it to wait."""
        self.waiters = Waiters()
        """Who waits for it."""
        self.held = False
        """It has to wait before it handles more."""
        self.ending = False
        """It takes nothing any more."""
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when it has ended; an exception of its handler is raised by `wait`."""
        self._process = process
        self._pairs: dict[str, Pair] = {}
        self._numbers = 0
        self._full: set[Outbox] = set()
        self._requests: dict[int, asyncio.Future[Message]] = {}
        self._asked: dict[tuple[int, int], int] = {}
        """Correlation of each open request, by the incarnation and the sequence of its message."""
        self._correlation = 0
        self._released: list[asyncio.Future[None]] = []
        self._sleeping: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def address(self) -> str:
        """`name@domain`."""
        return f"{self.name}@{self._process.domain}"

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

        flags: see `Flag`. ttl: routers that it may pass. Raises `BadNameError`, `FieldTypeError`, `ThreadEndedError`,
        and `OverflowingError` when messages are sent without ever awaiting `drain`.
        """
        pair = self._pairs.get(recipient)
        if pair is None or pair.epoch != self._process.epoch:
            pair = self._resolve(recipient)
        if (target := pair.target) is not None:
            pair.sequence = sequence = pair.sequence + 1
            head = pair.head(self.address, self.incarnation, ttl, flags)
            kept = check_fields(fields) if fields else None
            target.push(Message(head, sequence, name, bytes(body), kept), self)
        else:
            self._post(pair, name, body, fields, int(flags), ttl, 0)

    def _post(
        self, pair: Pair, name: str, body: bytes, fields: Fields | None, flags: int, ttl: int, correlation: int
    ) -> tuple[int, int]:
        """By way of the router; incarnation and sequence of the message."""
        outbox = pair.outbox or self._open(pair)
        sequence = outbox.put(name, bytes(body), check_fields(fields) if fields else None, ttl, flags, correlation)
        if not outbox.queued:
            pair.used = self._process.now
            self._process.outgoing.ready(outbox)
        if outbox.full:
            self._full.add(outbox)
            self.held = True
            self._process.check_octets()
        return outbox.incarnation, sequence

    def _resolve(self, recipient: str) -> Pair:
        if self.ending:
            raise ThreadEndedError(f"thread {self.name} has ended: it sends nothing any more")
        pair = self._pairs.get(recipient)
        if pair is None:
            address = qualified(check_address(recipient), self._process.domain)
            pair = self._pairs[recipient] = self._pairs.setdefault(address, Pair(address))
        pair.target = self._process.local(pair.recipient)
        pair.epoch = self._process.epoch
        return pair

    def _open(self, pair: Pair) -> Outbox:
        self._numbers += 1
        outbox = Outbox(
            self.address, pair.recipient, self.incarnation + self._numbers, self._process.settings.outbox
        )
        pair.outbox = outbox
        self._process.add_outbox(outbox, self)
        return outbox
