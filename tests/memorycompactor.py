"""A stand-in for `Compactor` that keeps the segments of one owner in memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from forebay.spill import SpillUnavailableError
from forebay.spill.compactionplan import Batch, Commit, Input, Output, Plan
from forebay.spill.keys import Kind
from spillcontents import Contents

Rows = list[tuple[bytes, bytes]]


@dataclass
class MemoryCompactor:
    """Its streams; a commit fails with each of `aborts` first."""

    contents: Contents
    aborts: list[str] = field(default_factory=list)
    unavailable: int = 0
    """So many calls fail."""
    lost: int = 0
    """Entries that the record tells of, in each segment, and that are not there."""
    streams: dict[str, Rows] = field(default_factory=dict)
    lists: dict[Kind, list[str]] = field(default_factory=dict)
    dropped: list[tuple[str | None, list[bytes]]] = field(default_factory=list)
    abandoned: list[str] = field(default_factory=list)
    commits: int = 0

    def __post_init__(self) -> None:
        for kind, segments in self.contents.items():
            self.lists[kind] = [self._add(kind.value, list(segment)) for segment in segments]

    def __enter__(self) -> "MemoryCompactor":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def entries(self, kind: Kind) -> list[bytes]:
        """What is listed, in order."""
        return [data for stream in self.lists.get(kind, ()) for _, data in self.streams[stream]]

    def plan(self, owner: str) -> Plan:
        inputs = [
            self._input(kind, number, stream)
            for kind, listed in self.lists.items()
            for number, stream in enumerate(listed)
        ]
        return Plan(owner, 1, 0, tuple(inputs))

    def _input(self, kind: Kind, number: int, stream: str) -> Input:
        rows = self.streams[stream]
        ends = (rows[0][0], rows[-1][0]) if rows else (b"", b"")
        return Input(kind, number, stream, len(rows) + self.lost, sum(len(data) for _, data in rows), 0, *ends)

    def batches(
        self, stream: str, count: int, after: bytes | None = None, until: bytes | None = None
    ) -> Iterator[Batch]:
        if self.unavailable:
            self.unavailable -= 1
            raise SpillUnavailableError("Redis is away")
        rows = self.streams[stream]
        start = next((place + 1 for place, (entry_id, _) in enumerate(rows) if entry_id == after), 0)
        for place in range(start, len(rows), count):
            some = rows[place : place + count]
            yield Batch([entry_id for entry_id, _ in some], [data for _, data in some])

    def stage(self, plan: Plan, kind: Kind, rows: Iterable[tuple[int, bytes]], rotate_bytes: int) -> list[Output]:
        staged: list[Rows] = []
        for number, (appended, data) in enumerate(rows):
            if not staged or sum(len(entry) for _, entry in staged[-1]) >= rotate_bytes:
                staged.append([])
            staged[-1].append((b"%d-%d" % (appended, number), data))
        return [self._output(kind, part) for part in staged]

    def stage_dropped(self, plan: Plan, kind: Kind, reason: str, entries: Iterable[bytes]) -> list[Output]:
        return [self._output(kind, [(b"0-0", data) for data in entries])._replace(reason=reason)]

    def _output(self, kind: Kind, rows: Rows) -> Output:
        return Output(kind, self._add("C", rows), len(rows), sum(len(data) for _, data in rows), rows[-1][0])

    def commit(self, plan: Plan, outputs: Sequence[Output], dropped: Sequence[Output] = ()) -> Commit:
        if self.aborts:
            return Commit(False, self.aborts.pop(0))
        self.commits += 1
        for kind in self.lists:
            self.lists[kind] = [output.stream for output in outputs if output.kind is kind]
        self.dropped += [(output.reason, [data for _, data in self.streams[output.stream]]) for output in dropped]
        return Commit(True)

    def abandon(self, outputs: Iterable[Output]) -> None:
        self.abandoned += [output.stream for output in outputs]

    def _add(self, kind: str, rows: Rows) -> str:
        stream = f"{kind}:{len(self.streams)}"
        self.streams[stream] = rows
        return stream
