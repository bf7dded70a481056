"""What a compaction of one owner replaces, and with what."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from forebay.spill.keys import Kind

Reason = Literal["limit-age", "limit-bytes", "duplicate"]
"""Why an entry is dropped."""
EntryId = bytes
"""As Redis writes it: milliseconds, a dash, a number."""


class Input(NamedTuple):
    """A closed segment of the backlog or of what is deferred."""

    kind: Kind
    """BACKLOG or DEFERRED."""
    segment: int
    stream: str
    entries: int
    bytes: int
    opened: int
    """Milliseconds since the epoch, by Redis' clock."""
    first: EntryId
    """Id of its first entry; empty when the stream has none."""
    last: EntryId


@dataclass(frozen=True, slots=True)
class Plan:
    """What is there to be compacted; holds for as long as the inputs stay as they are. Can be pickled."""

    owner: str
    generation: int
    """Of the list of segments that the inputs were taken from."""
    last: int
    """The id given last to a segment."""
    inputs: tuple[Input, ...]
    """Backlog, then deferred, each oldest first."""

    def of(self, kind: Kind) -> tuple[Input, ...]:
        """The inputs of one kind."""
        return tuple(item for item in self.inputs if item.kind is kind)


class Batch(NamedTuple):
    """Entries that follow each other in a stream."""

    ids: list[EntryId]
    entries: list[bytes]
    """The data of each."""


class Output(NamedTuple):
    """A temporary stream: entries that stay, or, with a reason, entries that are dropped."""

    kind: Kind
    """What its entries were: BACKLOG or DEFERRED."""
    stream: str
    entries: int
    """As the stream counts them: of those that are dropped, one holds many."""
    bytes: int
    last: EntryId
    """Id of its last entry."""
    reason: Reason | None = None


class Commit(NamedTuple):
    """How a commit ended: all of the inputs were replaced, or nothing was changed."""

    done: bool
    reason: str = ""
    """Why nothing was changed."""
    generation: int = 0
    """Of the list after it."""
