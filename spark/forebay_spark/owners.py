"""Compaction of owners one after the other, each read, compacted and written in memory by one task."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from forebay.runtime.collection import collection_paused
from forebay.spill import Kind, SpillError
from forebay.spill.compaction import Compactor
from forebay.spill.compactionplan import Input, Output, Plan
from forebay_spark.compaction import Compacted, Rules, compact
from forebay_spark.place import SpillPlace
from forebay_spark.tally import Tally, failure, lack
from forebay_spark.times import times_of

ATTEMPTS = 3
"""Plans that are made for one owner whose service drains it meanwhile."""
READ = 5000
"""Entries asked for at once."""
KINDS = (Kind.BACKLOG, Kind.DEFERRED)


@dataclass(frozen=True)
class Work:
    """What is to be done to each owner of a place."""

    place: SpillPlace
    rules: Rules
    rotate_bytes: int
    """Octets of entries of one stream that is written."""


def compact_owners(work: Work, owners: Iterable[str]) -> Iterator[Tally]:
    """Compact owners, as one task does; a tally of each. One that fails is left as it was and does not stop the others.

    Raises `OSError` for the file of the URL, and `SpillSettingsError`.
    """
    with work.place.connect() as compactor, collection_paused():
        for owner in owners:
            try:
                yield compact_owner(compactor, owner, work)
            except SpillError as error:
                yield failure(owner, error)


def compact_owner(compactor: Compactor, owner: str, work: Work) -> Tally:
    """Compact one owner. Raises `SpillError`."""
    reason = ""
    for _ in range(ATTEMPTS):
        plan = compactor.plan(owner)
        staging = Staging(compactor, plan, work)
        if staging.tally.lacking:
            reason = lack(staging.tally)
            continue
        if not staging.worthwhile:
            return replace(staging.tally, streams_out=staging.tally.streams_in)
        outputs, dropped = staging.write()
        commit = compactor.commit(plan, outputs, dropped)
        if commit.done:
            return replace(staging.tally, streams_out=len(outputs))
        compactor.abandon([*outputs, *dropped])
        reason = commit.reason
    return failure(owner, reason)


class Staging:
    """What has become of the entries of a plan."""

    def __init__(self, compactor: Compactor, plan: Plan, work: Work) -> None:
        self._compactor = compactor
        self._plan = plan
        self._work = work
        self._results = {kind: self._compacted(kind) for kind in KINDS}
        self.tally = sum(map(tally_of, plan.inputs), Tally())
        self.tally = replace(sum(map(_after, self._results.values()), self.tally), owners=1)

    @property
    def worthwhile(self) -> bool:
        """Whether there would be fewer entries or streams, or another order."""
        return any(result.changed or self._merges(kind) for kind, result in self._results.items())

    def _merges(self, kind: Kind) -> bool:
        size = sum(part.bytes for part in self._plan.of(kind))
        return len(self._plan.of(kind)) > max(1, -(-size // self._work.rotate_bytes))

    def _compacted(self, kind: Kind) -> Compacted:
        ids: list[bytes] = []
        entries: list[bytes] = []
        for part in self._plan.of(kind):
            for batch in self._compactor.batches(part.stream, READ):
                ids += batch.ids
                entries += batch.entries
        return compact(entries, times_of(ids), self._work.rules)

    def write(self) -> tuple[list[Output], list[Output]]:
        """Write what stays and what is to be released to temporary streams. Raises `SpillError`."""
        outputs: list[Output] = []
        dropped: list[Output] = []
        for kind, result in self._results.items():
            rows = zip(result.appended.tolist(), result.entries, strict=True)
            outputs += self._compactor.stage(self._plan, kind, rows, self._work.rotate_bytes)
            for reason, entries in result.released.items():
                if entries:
                    dropped += self._compactor.stage_dropped(self._plan, kind, reason, entries)
        return outputs, dropped


def tally_of(part: Input) -> Tally:
    """What an input has."""
    return Tally(entries_in=part.entries, bytes_in=part.bytes, streams_in=1)


def _after(result: Compacted) -> Tally:
    return Tally(
        entries_out=len(result.entries),
        bytes_out=sum(map(len, result.entries)),
        corrupt=result.corrupt,
        dropped=Counter(result.dropped),
    )
