"""The tally of a compaction: what went in, what came out, and what was not done."""

from collections import Counter
from dataclasses import dataclass, field

from forebay_spark.figures import Figure, Figures

TOLD = 100
"""Failures that are told one by one."""


@dataclass(frozen=True)
class Tally:
    """Tallies of parts add up."""

    owners: int = 0
    """Owners whose entries were compacted, or needed no compaction."""
    entries_in: int = 0
    bytes_in: int = 0
    entries_out: int = 0
    bytes_out: int = 0
    corrupt: int = 0
    """Entries that are no tokens; they stay."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Entries, by reason."""
    failed: int = 0
    """Owners whose entries are as they were."""
    failures: tuple[str, ...] = ()
    """Why, for the first of them."""
    streams_in: int = 0
    streams_out: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.owners + other.owners,
            self.entries_in + other.entries_in,
            self.bytes_in + other.bytes_in,
            self.entries_out + other.entries_out,
            self.bytes_out + other.bytes_out,
            self.corrupt + other.corrupt,
            self.dropped + other.dropped,
            self.failed + other.failed,
            (self.failures + other.failures)[:TOLD],
            self.streams_in + other.streams_in,
            self.streams_out + other.streams_out,
        )

    @property
    def lacking(self) -> int:
        """Entries that went in and were neither kept nor dropped: the streams did not have them."""
        return self.entries_in - self.entries_out - self.dropped.total()

    def figures(self) -> Figures:
        """The same as figures of a run."""
        values: dict[str, Figure] = {
            "owners": self.owners,
            "ownersFailed": self.failed,
            "entriesIn": self.entries_in,
            "entriesOut": self.entries_out,
            "bytesIn": self.bytes_in,
            "bytesOut": self.bytes_out,
            "streamsIn": self.streams_in,
            "streamsOut": self.streams_out,
            "corrupt": self.corrupt,
            "dropped": dict(sorted(self.dropped.items())),
        }
        return Figures(values, self.failures, self.failed - len(self.failures))


def lack(tally: Tally) -> str:
    """The problem of streams that lack entries."""
    return f"its streams have {tally.entries_in - tally.lacking} entries, and its record tells of {tally.entries_in}"


def failure(owner: str, problem: object) -> Tally:
    """The tally of an owner that was left as it was."""
    return Tally(failed=1, failures=(f"{owner}: {problem}",))
