"""The ledger: what an owner's streams hold, as the record in Redis (the hash `meta`) says, mirrored in memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from forebay.spill.compactionplan import Reason
from forebay.spill.errors import SpillAnswerError
from forebay.spill.keys import Kind


@dataclass(frozen=True, slots=True)
class Segment:
    """One stream of backlog or deferred entries, or R, which was one of them."""

    id: int
    kind: Kind
    """What it was opened as: BACKLOG or DEFERRED."""
    opened: int
    """Milliseconds since the epoch, by Redis' clock."""
    entries: int
    bytes: int
    closed: bool


class Castoff(NamedTuple):
    """A stream of entries that a compaction has dropped."""

    id: int
    kind: Kind
    """What they were: BACKLOG or DEFERRED."""
    reason: Reason


@dataclass(frozen=True, slots=True)
class Depth:
    """How much there is in one place."""

    entries: int = 0
    bytes: int = 0

    def __add__(self, other: "Depth") -> "Depth":
        return Depth(self.entries + other.entries, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class SpoolState:
    """What an owner has in Redis."""

    backlog: Depth
    deferred: Depth
    resend: Depth
    """What the checkpoint of R has not passed yet."""
    dead: Depth
    oldest_backlog: int | None
    """Nothing in the backlog is older than that, milliseconds since the epoch; None when there is nothing."""
    oldest_deferred: int | None
    oldest_resend: int | None
    generation: int
    """Raised at each change of the list of segments."""
    segments: int
    """How many streams there are, without the dead letters."""
    castoffs: int
    """Streams of entries that compactions have dropped, for somebody to release what they stand for."""


@dataclass(slots=True)
class Ledger:
    """The list of segments, R, its checkpoint and the dead letters, kept in step with the answers of the scripts."""

    generation: int = 0
    last: int = 0
    """The id given last to a segment."""
    turn: int = 0
    queues: dict[Kind, list[Segment]] = field(default_factory=lambda: {Kind.BACKLOG: [], Kind.DEFERRED: []})
    """Oldest first."""
    resend: Segment | None = None
    checkpoint: bytes | None = None
    """The entry of R up to which all is settled."""
    dead: Depth = Depth()
    castoffs: list[Castoff] = field(default_factory=list)
    """Oldest first."""

    @classmethod
    def parse(cls, flat: Sequence[bytes]) -> "Ledger":
        """Read the reply to HGETALL. Raises `SpillAnswerError` when it is no ledger."""
        fields = dict(zip(flat[::2], flat[1::2], strict=True))
        try:
            return cls._of(fields)
        except (KeyError, ValueError) as error:
            raise SpillAnswerError(f"meta: the record of segments is damaged: {error!r}") from error

    @classmethod
    def _of(cls, fields: dict[bytes, bytes]) -> "Ledger":
        ledger = cls(int(fields.get(b"generation", 0)), int(fields.get(b"last", 0)), int(fields.get(b"turn", 0)))
        for kind, queue in ledger.queues.items():
            is_open = fields.get(b"open:" + kind.encode())
            for number in fields.get(kind.encode(), b"").split():
                queue.append(_segment(fields, number, kind, closed=number != is_open))
        if b"R" in fields:
            ledger.resend = _segment(fields, fields[b"R"], Kind(fields[b"R:kind"].decode()), closed=True)
            ledger.checkpoint = fields.get(b"checkpoint")
        ledger.dead = Depth(int(fields.get(b"X:entries", 0)), int(fields.get(b"X:bytes", 0)))
        ledger.castoffs = [_castoff(fields, number) for number in fields.get(b"dropped", b"").split()]
        return ledger

    def open_segment(self, kind: Kind) -> Segment | None:
        """The segment that takes entries of a kind."""
        queue = self.queues.get(kind)
        return queue[-1] if queue and not queue[-1].closed else None

    def oldest(self, kind: Kind) -> Segment | None:
        """The segment of a kind that is next to be sent again."""
        queue = self.queues[kind]
        return queue[0] if queue else None

    def segments(self) -> list[Segment]:
        """All of them, R first, then backlog and deferred, each oldest first."""
        resend = [self.resend] if self.resend else []
        return [*resend, *self.queues[Kind.BACKLOG], *self.queues[Kind.DEFERRED]]

    def state(self) -> SpoolState:
        """The figures a service shows."""
        return SpoolState(
            backlog=_depth(self.queues[Kind.BACKLOG]),
            deferred=_depth(self.queues[Kind.DEFERRED]),
            resend=_depth([self.resend] if self.resend else []),
            dead=self.dead,
            oldest_backlog=_opened(self.queues[Kind.BACKLOG]),
            oldest_deferred=_opened(self.queues[Kind.DEFERRED]),
            oldest_resend=self._oldest_resend(),
            generation=self.generation,
            segments=len(self.segments()),
            castoffs=len(self.castoffs),
        )

    def _oldest_resend(self) -> int | None:
        if self.resend and self.checkpoint:
            # Entries are named by when they were appended: what the checkpoint has not passed is no older.
            return int(self.checkpoint.split(b"-")[0])
        return self.resend.opened if self.resend else None

    def added(self, kind: Kind, number: int, opened: int, entries: int, size: int) -> None:
        """Entries were appended to a segment, which may have been opened for them."""
        if kind is Kind.DEAD:
            self.dead += Depth(entries, size)
            return
        queue = self.queues[kind]
        if not queue or queue[-1].id != number:
            self._close_last(queue)
            queue.append(Segment(number, kind, opened, 0, 0, closed=False))
            self.last = number
            self.generation += 1
        queue[-1] = _grown(queue[-1], entries, size)

    @staticmethod
    def _close_last(queue: list[Segment]) -> None:
        if queue:
            queue[-1] = replace(queue[-1], closed=True)

    def removed(self, kind: Kind, entries: int, size: int, *, gone: bool) -> None:
        """Entries left R, the dead letters, or the oldest segment of a kind; with `gone`, that segment as well."""
        if kind is Kind.DEAD:
            self.dead += Depth(-entries, -size)
        elif kind is Kind.RESEND:
            self._shrink_resend(entries, size, gone)
        else:
            self.queues[kind][0] = _grown(self.queues[kind][0], -entries, -size)
            if gone:
                del self.queues[kind][0]
                self.generation += 1

    def _shrink_resend(self, entries: int, size: int, gone: bool) -> None:
        if gone:
            self.resend = self.checkpoint = None
            self.generation += 1
        elif self.resend:
            self.resend = _grown(self.resend, -entries, -size)

    def promoted(self, kind: Kind) -> None:
        """The oldest segment of a kind became R."""
        self.resend = replace(self.queues[kind].pop(0), closed=True)
        self.checkpoint = None
        self.generation += 1


def _segment(fields: dict[bytes, bytes], number: bytes, kind: Kind, *, closed: bool) -> Segment:
    opened, entries, size = (int(fields[number + name]) for name in (b":opened", b":entries", b":bytes"))
    return Segment(int(number), kind, opened, entries, size, closed)


def _castoff(fields: dict[bytes, bytes], number: bytes) -> Castoff:
    kind, reason = (fields[number + name].decode() for name in (b":kind", b":reason"))
    return Castoff(int(number), Kind(kind), cast("Reason", reason))


def _grown(segment: Segment, entries: int, size: int) -> Segment:
    return replace(segment, entries=segment.entries + entries, bytes=segment.bytes + size)


def _opened(segments: list[Segment]) -> int | None:
    return min((segment.opened for segment in segments), default=None)


def _depth(segments: Iterable[Segment]) -> Depth:
    return sum((Depth(segment.entries, segment.bytes) for segment in segments), Depth())
