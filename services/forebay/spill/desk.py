"""The desk of one owner: its ledger and resend window, and how commands are run and answers judged."""

from typing import Protocol

from redis.exceptions import ResponseError

from forebay.spill.errors import LeaseLostError, SpillAnswerError, SpillFullError
from forebay.spill.fence import Durable
from forebay.spill.keys import Kind, OwnerKeys
from forebay.spill.ledger import Ledger, Segment
from forebay.spill.link import Reply
from forebay.spill.metrics import SpillMetrics
from forebay.spill.resend import Entry, ResendWindow, entries_of
from forebay.spill.router import Answered, checked, meaning
from forebay.spill.scripts import Argument, Command
from forebay.spill.session import Channel
from forebay.spill.settings import SpoolSettings
from forebay.spill.tenure import Tenure

STALLS = 5
"""Calls in a row that may find the ledger out of date."""


class Host(Protocol):
    """What a desk needs of the client it belongs to."""

    metrics: SpillMetrics
    always_durable: bool

    async def register(self, owner: str) -> None:
        """Add an owner to the registry."""

    async def unregister(self, owner: str) -> None:
        """Take an owner off the registry."""

    def refused(self, error: SpillFullError) -> None:
        """Redis refused an append for want of room."""


class Desk:
    """Shared by those that write, resend and bound one owner's streams; one command of theirs runs at a time."""

    def __init__(self, keys: OwnerKeys, settings: SpoolSettings, tenure: Tenure, host: Host) -> None:
        self.keys = keys
        self.settings = settings
        self.tenure = tenure
        self.host = host
        self.metrics = host.metrics
        self.ledger = Ledger()
        self.window = ResendWindow()

    async def run(self, *commands: Command, channel: Channel = Channel.WORK) -> list[Reply]:
        """Run commands. Raises what an error among the answers means."""
        return checked(await self.tenure.run(commands, channel))

    def written(self, channel: Channel = Channel.WORK) -> Durable:
        """A handle on all that was written so far, the last of it over this channel."""
        answered = self.tenure.answered
        if answered is None or (channel is Channel.APPEND and self.host.always_durable):
            return Durable()
        return answered.server.fences.cover(answered.session.run_id, self.keys.fence)

    def refused(self, error: ResponseError, answered: Answered, appended: int) -> Exception:
        """What to raise when an append was refused after so many entries."""
        failure = meaning(error, answered)
        if isinstance(failure, SpillFullError):
            failure = SpillFullError(str(failure), appended, self.written(Channel.APPEND))
            self.host.refused(failure)
        return failure

    async def entries(self, stream: str, after: bytes | None, count: int) -> list[Entry]:
        """Entries of a stream behind an id, in order."""
        if count < 1:
            return []
        start = b"(" + after if after else b"-"
        (reply,) = await self.run(("XRANGE", stream, start, "+", "COUNT", count))
        return entries_of(reply)

    def stream(self, segment: Segment) -> str:
        """Where a segment's entries are."""
        if segment is self.ledger.resend:
            return self.keys.resend
        return self.keys.stream(segment.kind, segment.id)

    def places(self, kind: Kind) -> tuple[list[str], list[Argument]]:
        """Keys and arguments by which a script finds, or opens, the segment that takes entries of a kind."""
        if kind is Kind.DEAD:
            return [self.keys.meta, self.keys.dead, self.keys.dead], [kind, "X", "X", 0, 0]
        fresh = self.ledger.last + 1
        current = self.ledger.open_segment(kind)
        streams = [self.keys.stream(kind, current.id if current else fresh), self.keys.stream(kind, fresh)]
        rotation = [self.settings.rotate_bytes, round(self.settings.rotate_age * 1000)]
        return [self.keys.meta, *streams], [kind, current.id if current else "", fresh, *rotation]

    @property
    def outdated(self) -> bool:
        """Whether somebody else, a compaction, has changed the list of segments."""
        return self.tenure.generation > self.ledger.generation

    async def reload(self) -> None:
        """Read the ledger again: an answer was lost, or somebody else (a compaction) has changed the list."""
        (flat,) = await self.run(("HGETALL", self.keys.meta))
        if dict(zip(flat[::2], flat[1::2], strict=True)).get(b"lease") != self.tenure.token:
            self.tenure.void()
            raise LeaseLostError(f"{self.keys.prefix} has another holder: load the spool again")
        before, self.ledger = self.ledger.resend, Ledger.parse(flat)
        now = self.ledger.resend
        if before and now and before.id == now.id:
            await self._align()
        else:
            self.window = ResendWindow(self.ledger.checkpoint)

    async def _align(self) -> None:
        entries = await self.entries(self.keys.resend, self.ledger.checkpoint, self.window.span)
        self.window.align(self.ledger.checkpoint, (entry.id for entry in entries))


def stalled(keys: OwnerKeys) -> SpillAnswerError:
    """What to raise when reading the ledger again does not help."""
    return SpillAnswerError(f"{keys.meta}: the list of segments changes faster than it can be read")
