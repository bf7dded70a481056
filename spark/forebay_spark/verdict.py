"""What a verification of a message store has found, in figures and for people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from forebay.msgstore.record import FILE_HEAD_SIZE

LINES = 40
"""Files, and faults, that the table names."""


class FileVerdict(NamedTuple):
    """A message file."""

    number: int
    octets: int
    live: int
    """Octets of records that somebody needs."""
    damaged: int
    """Stretches without a whole record."""

    @property
    def garbage(self) -> int:
        """Octets that nobody needs."""
        return max(self.octets - FILE_HEAD_SIZE - self.live, 0)


class Fault(NamedTuple):
    """Something wrong."""

    kind: str
    told: str
    """What and where."""


@dataclass(frozen=True)
class Verdict:
    """The state of a store."""

    files: Sequence[FileVerdict]
    messages: int
    """That somebody needs, and that are there."""
    torn: int
    """Files that end in an unfinished write."""
    faults: Mapping[str, int]
    """How many there are of each kind."""
    named: Sequence[Fault]
    """Some of them."""

    def lines(self) -> Iterator[str]:
        """A table of the files, those with damage and most garbage first, and the faults."""
        yield f"{'file':>10}  {'octets':>15}  {'garbage':>15}  {'damaged':>7}"
        for file in sorted(self.files, key=lambda file: (-file.damaged, -file.garbage, file.number))[:LINES]:
            yield f"{file.number:>10}  {file.octets:>15,}  {file.garbage:>15,}  {file.damaged:>7,}"
        if len(self.files) > LINES:
            yield f"and {len(self.files) - LINES:,} more files, with less garbage"
        for fault in self.named[:LINES]:
            yield f"{fault.kind}: {fault.told}"
        if (others := sum(self.faults.values()) - len(self.named[:LINES])) > 0:
            yield f"and {others:,} more faults"
