"""Messages of one thread to one recipient, kept until the recipient's library has them."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.flags import DROP_OK, MULTICAST
from forebay.router.core.message import Fields, encode, plain, plain_opening

PARCEL_MESSAGES = 1024
PARCEL_OCTETS = 256 * 1024
"""Sizes at which a parcel is closed, or a quarter of the window where that is less; a message may have more octets."""
_SENT_ONCE = DROP_OK | MULTICAST


@dataclass(frozen=True)
class OutboxSettings:
    """How much may be on its way, and when it is sent again."""

    window_messages: int = 16_384
    """Messages to one recipient without a receipt, from which on their sender has to wait."""
    window_octets: int = 8 * 1024 * 1024
    """Octets of them, likewise."""
    repeat: float = 3.0
    """Seconds without a receipt after which messages are sent again; each next time it is twice as long."""
    longest_repeat: float = 60.0
    """Seconds between two repeats, at most."""


class Chunk:
    """Consecutive messages that travel together."""

    __slots__ = ("count", "first", "flags", "messages", "sent", "ttl")

    def __init__(self, first: int, count: int, ttl: int, flags: int, messages: bytes) -> None:
        self.first = first
        self.count = count
        self.ttl = ttl
        self.flags = flags
        self.messages = messages
        self.sent: float | None = None
        """When it was handed out last, by the monotonic clock; None: it waits to be."""


class Outbox:
    """Numbers messages, closes them into chunks, hands these out, and forgets them at their receipt."""

    def __init__(self, sender: str, recipient: str, incarnation: int, settings: OutboxSettings) -> None:
        """Both addresses have their domains."""
        self.sender = sender
        self.recipient = recipient
        self.incarnation = incarnation
        self.next = 1
        """Sequence of the next message."""
        self.messages = 0
        """Messages in closed chunks that have no receipt."""
        self.octets = 0
        """Octets of them."""
        self.full = False
        """The sender has to wait."""
        self.queued = False
        """For whoever hands out: it knows that something is waiting."""
        self._settings = settings
        self._most_messages = max(1, min(PARCEL_MESSAGES, settings.window_messages // 4))
        self._most_octets = max(1, min(PARCEL_OCTETS, settings.window_octets // 4))
        self._first_open = 1
        """Sequence of the first message that is in no chunk yet."""
        self._parts: list[bytes] = []
        self._open_count = 0
        self._open_octets = 0
        self._ttl = self._flags = 0
        self._queue: deque[Chunk] = deque()
        self._unresolved: dict[int, Chunk] = {}
        """Chunks that have no receipt, by their first sequence and in its order; without those that are sent once."""
        self._pause = settings.repeat
        self._rewound: tuple[int, float] = (0, 0.0)

    @property
    def waiting(self) -> bool:
        """There is something to hand out."""
        return bool(self._open_count or self._queue)

    @property
    def empty(self) -> bool:
        """Nothing is left to hand out or to wait for."""
        return not (self._open_count or self._queue or self._unresolved)

    def _measure(self) -> None:
        """Full at the window, and until half of it is left. What is in no chunk yet does not count."""
        settings = self._settings
        part = 2 if self.full else 1
        self.full = self.messages * part >= settings.window_messages or self.octets * part >= settings.window_octets

    def put(self, name: str, body: bytes, fields: Fields | None, ttl: int, flags: int, correlation: int = 0) -> int:
        """Add a message; its sequence."""
        if self._open_count and (flags != self._flags or ttl != self._ttl):
            self._close()
        parts = self._parts
        if fields:
            parts.append(encode(name, body, fields, correlation))
        elif correlation:
            parts += plain(name, body, correlation)
        else:
            parts.append(plain_opening(name, len(body)))
            parts.append(body)
        self._ttl, self._flags = ttl, flags
        self._open_count += 1
        self._open_octets += len(body) + 16
        if self._open_count >= self._most_messages or self._open_octets >= self._most_octets:
            self._close()
        sequence = self.next
        self.next = sequence + 1
        return sequence

    def _close(self) -> None:
        count, messages = self._open_count, b"".join(self._parts)
        first = self._first_open
        chunk = Chunk(first, count, self._ttl, self._flags, messages)
        self._parts, self._open_count, self._open_octets = [], 0, 0
        self._first_open = first + count
        self._queue.append(chunk)
        if not self._flags & _SENT_ONCE:
            self._unresolved[first] = chunk
        self.messages += count
        self.octets += len(messages)
        self._measure()

    def take(self, now: float) -> pb.Parcel | None:
        """The next chunk to send, as it travels; None when there is nothing."""
        if not self._queue:
            if not self._open_count:
                return None
            self._close()
        chunk = self._queue.popleft()
        chunk.sent = now
        if chunk.flags & _SENT_ONCE:
            self._let_go(chunk)
        return pb.Parcel(
            sender=self.sender,
            recipient=self.recipient,
            incarnation=self.incarnation,
            first=chunk.first,
            count=chunk.count,
            floor=min(next(iter(self._unresolved), chunk.first), chunk.first),
            ttl=chunk.ttl,
            flags=chunk.flags,
            messages=chunk.messages,
        )

    def resolve(self, first: int, count: int) -> list[Chunk]:
        """A receipt has come: the chunks that it is about, which are forgotten."""
        found = []
        end = first + count
        while first < end:
            chunk = self._unresolved.pop(first, None)
            if chunk is None:
                found += self._scan(first, end)
                break
            found.append(chunk)
            first += chunk.count
        for chunk in found:
            self._let_go(chunk)
        if found:
            self._pause = self._settings.repeat
        return found

    def _scan(self, first: int, end: int) -> list[Chunk]:
        """Chunks within a range some of whose parts had their receipt before."""
        keys = [key for key, chunk in self._unresolved.items() if first <= key and key + chunk.count <= end]
        return [self._unresolved.pop(key) for key in keys]

    def _let_go(self, chunk: Chunk) -> None:
        self.messages -= chunk.count
        self.octets -= len(chunk.messages)
        self._measure()
        if chunk.sent is None:
            self._queue.remove(chunk)

    def rewind(self) -> None:
        """The way was cut: all without a receipt is to be sent again."""
        self._again(list(self._unresolved.values()))

    def gap(self, sequence: int, now: float) -> bool:
        """The recipient lacks this, and what came behind it; whether something is to be sent again.

        Every parcel that comes behind a gap tells of it: what was just sent again is not sent once more.
        """
        known, since = self._rewound
        if sequence == known and now - since < self._settings.repeat:
            return False
        self._rewound = sequence, now
        again = [chunk for chunk in self._unresolved.values() if chunk.first + chunk.count > sequence]
        self._again(again)
        return bool(again)

    def overdue(self, now: float) -> bool:
        """Whether messages have waited too long for a receipt; they are to be sent again then."""
        oldest = next(iter(self._unresolved.values()), None)
        if oldest is None or oldest.sent is None or now - oldest.sent < self._pause:
            return False
        self._pause = min(self._pause * 2, self._settings.longest_repeat)
        self.rewind()
        return True

    def _again(self, chunks: list[Chunk]) -> None:
        sent = [chunk for chunk in chunks if chunk.sent is not None]
        for chunk in sent:
            chunk.sent = None
        self._queue = deque(sorted([*self._queue, *sent], key=lambda chunk: chunk.first))

    def give_up(self) -> Iterator[Chunk]:
        """Forget everything, since the recipient is gone; all that had no receipt."""
        if self._open_count:
            self._close()
        left = {chunk.first: chunk for chunk in self._queue} | self._unresolved
        self._queue.clear()
        self._unresolved.clear()
        self.messages = self.octets = 0
        self.full = False
        return iter(sorted(left.values(), key=lambda chunk: chunk.first))
