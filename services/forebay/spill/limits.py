"""Limits of a spool: which of the oldest entries go when there are too many octets, or they are too old."""

from typing import TYPE_CHECKING, NamedTuple

from forebay.spill import scripts
from forebay.spill.compactionplan import Reason
from forebay.spill.desk import Desk
from forebay.spill.keys import Kind
from forebay.spill.link import Reply

if TYPE_CHECKING:
    from forebay.spill.scripts import Argument


class Dropped(NamedTuple):
    """Entries that a limit or a compaction removed; the caller releases what they stand for."""

    reason: Reason
    entries: list[bytes]
    kind: Kind
    """Where they were: BACKLOG, DEFERRED or RESEND."""


class Place(NamedTuple):
    """Where the oldest entry is that may go."""

    since: int
    """When it was appended, milliseconds since the epoch by Redis' clock."""
    kind: Kind
    segment: int
    stream: str
    start: bytes


class Limits:
    """Entries read from R and not settled yet are left alone: they are on their way to somebody."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def enforce(self, count: int) -> Dropped | None:
        """Remove at most `count` entries for one of the limits; None when none is exceeded."""
        settings = self._desk.settings
        if settings.limit_bytes is not None and (dropped := await self._over_bytes(settings.limit_bytes, count)):
            self._desk.metrics.dropped_bytes += len(dropped.entries)
            return dropped
        if settings.limit_age is not None and (dropped := await self._over_age(settings.limit_age, count)):
            self._desk.metrics.dropped_age += len(dropped.entries)
            return dropped
        return None

    async def _over_bytes(self, limit: int, count: int) -> Dropped | None:
        state = self._desk.ledger.state()
        total = state.backlog + state.deferred + state.resend
        excess = total.bytes - limit
        # The newest entry stays, however large.
        most = min(count, total.entries - len(self._desk.window) - 1)
        if excess <= 0 or most <= 0:
            return None
        place, _ = await self._oldest()
        return await self._drop("limit-bytes", place, b"+", most, excess) if place else None

    async def _over_age(self, limit: float, count: int) -> Dropped | None:
        if not self._desk.ledger.segments():
            return None
        place, now = await self._oldest()
        before = now - round(limit * 1000)
        if place is None or place.since >= before:
            return None
        return await self._drop("limit-age", place, b"%d" % (before - 1), count, "")

    async def _oldest(self) -> tuple[Place | None, int]:
        """The place of the oldest entry, and Redis' time."""
        desk = self._desk
        queues = [desk.ledger.oldest(Kind.BACKLOG), desk.ledger.oldest(Kind.DEFERRED)]
        candidates = [(segment.kind, segment, b"-") for segment in queues if segment]
        if desk.ledger.resend:
            start = b"(" + desk.window.cursor if desk.window.cursor else b"-"
            candidates.append((Kind.RESEND, desk.ledger.resend, start))
        streams = [desk.stream(segment) for _, segment, _ in candidates]
        heads = [
            ("XRANGE", stream, start, "+", "COUNT", 1)
            for stream, (_, _, start) in zip(streams, candidates, strict=True)
        ]
        clock, *replies = await desk.run(("TIME",), *heads)
        places = [
            Place(_appended(reply), kind, segment.id, stream, start)
            for reply, stream, (kind, segment, start) in zip(replies, streams, candidates, strict=True)
            if reply
        ]
        return min(places, default=None), int(clock[0]) * 1000 + int(clock[1]) // 1000

    async def _drop(self, reason: Reason, place: Place, end: bytes, most: int, enough: int | str) -> Dropped | None:
        desk = self._desk
        args: list[Argument] = [desk.tenure.token, desk.ledger.generation]
        args += [place.kind, place.segment, place.start, end, most, enough]
        (reply,) = await desk.run(scripts.LIMIT.call([desk.keys.meta, place.stream], args))
        if reply[0] == b"STALE":
            await desk.reload()
            return None
        gone, size = reply[1:3]
        entries: list[bytes] = reply[3:]
        desk.ledger.removed(place.kind, len(entries), size, gone=bool(gone))
        return Dropped(reason, entries, place.kind) if entries else None


def _appended(reply: Reply) -> int:
    """When the first entry of a range was appended: the first part of its id."""
    return int(reply[0][0].split(b"-")[0])
