"""Messages of a queue as runs: consecutive sequence numbers with columns beside them.

A queue handles runs and not messages: what happens to a hundred neighbours costs little more than what happens to one.
"""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from array import array

JOIN = 512
"""Messages up to which neighbouring runs are made one."""


class Span(NamedTuple):
    """Names consecutive messages of a queue."""

    level: int
    """Level of priority; 0 in a queue without priorities."""
    first: int
    """Sequence number of the first message, within its level."""
    count: int  # type: ignore[assignment]  # the tuple's own method of that name is of no use here


class Arrival(NamedTuple):
    """A message on its way into a queue."""

    content: bytes
    """The message as it is kept and handed out."""
    id: bytes
    """16 octets; the name of the content where the message store has it."""
    embedded: bool
    """The queue keeps the content itself; else the message store has it already, with a reference for this queue."""
    expiry: int = 0
    """Milliseconds since the epoch; 0 for never."""
    priority: int = 0
    persistent: bool = True
    """Else it is not kept over a restart; if not embedded, it is in the store of transient messages."""


class Run:
    """Consecutive messages of one queue. It never changes: whoever has one may keep it.

    ids: 16 octets each. sizes: octets of each content. contents: None when they are on disk alone. expiries:
    milliseconds since the epoch, 0 for never; None when all are 0. deliveries: how often each was handed out before
    now; None when all are 0. stored: an octet for each message, 1 when the message store has its content, 0 when it is
    embedded in the index; None when all are embedded. filed: the index of the queue has these messages. counted: the
    hand-out by which they are held now counts as a delivery.
    """

    __slots__ = (
        "contents",
        "counted",
        "deliveries",
        "expiries",
        "filed",
        "first",
        "ids",
        "level",
        "octets",
        "persistent",
        "sizes",
        "soonest",
        "stored",
    )

    def __init__(
        self,
        first: int,
        ids: list[bytes],
        sizes: "array[int]",
        contents: list[bytes] | None = None,
        *,
        expiries: "array[int] | None" = None,
        deliveries: "array[int] | None" = None,
        stored: bytes | None = None,
        persistent: bool = True,
        filed: bool = True,
        counted: bool = False,
        level: int = 0,
    ) -> None:
        self.first = first
        self.ids = ids
        self.sizes = sizes
        self.contents = contents
        self.expiries = expiries
        self.deliveries = deliveries
        self.stored = stored
        self.persistent = persistent
        self.filed = filed
        self.counted = counted
        self.level = level
        self.octets = sum(sizes)
        """Octets of all contents, wherever they are."""
        self.soonest = min(filter(None, expiries), default=0) if expiries else 0
        """The first expiry of all; 0 for none."""

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        where = "memory" if self.contents is not None else "disk"
        return f"<Run {self.first}..{self.last} of level {self.level} in {where}>"

    @property
    def last(self) -> int:
        """Sequence number of the last message."""
        return self.first + len(self.ids) - 1

    @property
    def seqs(self) -> range:
        """All sequence numbers."""
        return range(self.first, self.first + len(self.ids))

    @property
    def span(self) -> Span:
        """What names these messages."""
        return Span(self.level, self.first, len(self.ids))

    def part(self, start: int, stop: int) -> "Run":
        """The messages from position `start` to before `stop`, counted from 0; this run when that is all of it."""
        if start <= 0 and stop >= len(self.ids):
            return self
        return Run(
            self.first + start,
            self.ids[start:stop],
            self.sizes[start:stop],
            self.contents[start:stop] if self.contents is not None else None,
            expiries=self.expiries[start:stop] if self.expiries else None,
            deliveries=self.deliveries[start:stop] if self.deliveries else None,
            stored=self.stored[start:stop] if self.stored else None,
            persistent=self.persistent,
            filed=self.filed,
            counted=self.counted,
            level=self.level,
        )

    def split(self, count: int) -> tuple["Run", "Run"]:
        """The first `count` messages and the others; both have some."""
        return self.part(0, count), self.part(count, len(self.ids))

    def released(self) -> list[bytes]:
        """Ids of those whose content is in the message store."""
        return list(compress(self.ids, self.stored)) if self.stored else []

    def with_contents(self, contents: list[bytes] | None) -> "Run":
        """The same messages with all contents in memory, or none."""
        return self._changed(contents, self.deliveries, filed=self.filed, counted=self.counted, level=self.level)

    def with_deliveries(self, deliveries: "array[int] | None") -> "Run":
        """The same messages, ready again after so many deliveries."""
        return self._changed(self.contents, deliveries, filed=self.filed, counted=False, level=self.level)

    def held(self, *, counted: bool) -> "Run":
        """The same messages, handed out."""
        if counted == self.counted:
            return self
        return self._changed(self.contents, self.deliveries, filed=self.filed, counted=counted, level=self.level)

    def in_index(self) -> "Run":
        """The same messages, now that the index has them."""
        return self._changed(self.contents, self.deliveries, filed=True, counted=self.counted, level=self.level)

    def at_level(self, level: int) -> "Run":
        """The same messages as those of a level of priority."""
        return self._changed(self.contents, self.deliveries, filed=self.filed, counted=self.counted, level=level)

    def _changed(
        self,
        contents: list[bytes] | None,
        deliveries: "array[int] | None",
        *,
        filed: bool,
        counted: bool,
        level: int,
    ) -> "Run":
        run = object.__new__(Run)
        run.first, run.ids, run.sizes, run.expiries = self.first, self.ids, self.sizes, self.expiries
        run.stored, run.persistent, run.octets, run.soonest = self.stored, self.persistent, self.octets, self.soonest
        run.contents, run.deliveries = contents, deliveries
        run.filed, run.counted, run.level = filed, counted, level
        return run


def joined(runs: Sequence[Run]) -> list[Run]:
    """The same messages, all in memory, in fewer runs."""
    if len(runs) < 2:
        return list(runs)
    groups: list[list[Run]] = []
    count = 0
    for run in runs:
        last = groups[-1][-1] if groups else None
        count += len(run)
        if last and _alike(last, run) and count <= JOIN:
            groups[-1].append(run)
        else:
            groups.append([run])
            count = len(run)
    return [_join(group) if len(group) > 1 else group[0] for group in groups]


def _alike(before: Run, run: Run) -> bool:
    return (
        run.first == before.last + 1
        and (run.persistent, run.filed, run.level) == (before.persistent, before.filed, before.level)
        and (run.expiries is None) == (before.expiries is None)
        and (run.stored is None) == (before.stored is None)
        and run.deliveries is before.deliveries is None
    )


def _join(runs: list[Run]) -> Run:
    first = runs[0]
    ids, sizes, contents = list(first.ids), first.sizes[:], list(first.contents or ())
    expiries, stored = first.expiries and first.expiries[:], first.stored
    for run in runs[1:]:
        ids += run.ids
        sizes += run.sizes
        contents += run.contents or ()
        if expiries is not None and run.expiries is not None:
            expiries += run.expiries
        if stored is not None and run.stored is not None:
            stored += run.stored
    return Run(
        first.first,
        ids,
        sizes,
        contents,
        expiries=expiries,
        stored=stored,
        persistent=first.persistent,
        filed=first.filed,
        level=first.level,
    )


def spans_of(runs: Iterable[Run]) -> list[Span]:
    """What names the messages of these runs; neighbours become one span."""
    spans: list[Span] = []
    for run in runs:
        last = spans[-1] if spans else None
        if last and last.level == run.level and last.first + last.count == run.first:
            spans[-1] = last._replace(count=last.count + len(run))
        else:
            spans.append(run.span)
    return spans


def total(runs: Sequence[Run]) -> int:
    """How many messages these are."""
    return sum(map(len, runs))
