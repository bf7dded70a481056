"""What is wrong with messages, found by putting together all that is known of each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forebay_spark.findings import LEAKED, MISCOUNTED, ORPHAN, TOLD, Findings, Message
from forebay_spark.messagerows import Kind, Rows

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Judge:
    """Judges messages by rows of all kinds that there are."""

    asks_twice: bool
    """Owners were asked a second time; who needs a message is told by both answers."""
    has_index: bool

    def judge(self, pieces: Iterable[Rows]) -> Findings:
        """Findings about messages; all rows of each must be there."""
        groups = _Groups(np.concatenate(list(pieces)))
        owners, counted = groups.total(Kind.OWNERS), groups.total(Kind.COUNTED)
        is_owned = owners > 0
        if self.asks_twice:
            is_owned &= groups.total(Kind.LATER) > 0
        is_stored = groups.newest["kind"] == Kind.RECORD
        faults = {LEAKED: is_owned & ~is_stored}
        if self.has_index:
            faults[ORPHAN] = is_stored & ~is_owned & (counted > 0)
            faults[MISCOUNTED] = is_stored & is_owned & (counted != owners)
        live = groups.newest[is_stored & is_owned]
        return Findings(
            live=_octets(live),
            messages=len(live),
            faults={kind: int(mask.sum()) for kind, mask in faults.items()},
            faulty={kind: tuple(groups.messages(mask)) for kind, mask in faults.items()},
        )


class _Groups:
    """Rows sorted so that those of one message are together."""

    def __init__(self, rows: Rows) -> None:
        rows = rows[_by_message(rows)]
        ends = np.flatnonzero(_differs(rows["high"]) | _differs(rows["low"])) + 1
        self._rows = rows
        self._firsts = np.concatenate(([0], ends))
        self.newest = rows[self._newest()]
        """Of each message the row of the highest stamp: of a record, if there is one."""

    def _newest(self) -> NDArray[np.int64]:
        stamps = self._rows["stamp"]
        highest = np.maximum.reduceat(stamps, self._firsts)
        is_newest = stamps == np.repeat(highest, np.diff(self._firsts, append=len(stamps)))
        places: NDArray[np.int64] = np.maximum.reduceat(np.where(is_newest, np.arange(len(stamps)), -1), self._firsts)
        return places

    def total(self, kind: Kind) -> NDArray[np.int64]:
        """Sums of references of one kind, by message."""
        values = np.where(self._rows["kind"] == kind, self._rows["value"], 0)
        sums: NDArray[np.int64] = np.add.reduceat(values, self._firsts)
        return sums

    def messages(self, mask: Mask) -> Iterator[Message]:
        """Some of the messages that a mask has."""
        for row in self.newest[mask][:TOLD]:
            id = int(row["high"]).to_bytes(8, "big") + int(row["low"]).to_bytes(8, "big")
            is_placed = row["kind"] in (Kind.RECORD, Kind.COUNTED)
            yield Message(id, int(row["file"]), int(row["place"])) if is_placed else Message(id, None, None)


def _by_message(rows: Rows) -> NDArray[np.int64]:
    """Order of rows by message. Half of an id is nearly always enough, and sorting by one number is much faster."""
    order = np.argsort(rows["low"])
    if np.any(_differs(rows["high"][order]) & ~_differs(rows["low"][order])):
        return np.lexsort((rows["low"], rows["high"]))
    return order


def _differs(values: NDArray[np.uint64]) -> Mask:
    """Which values differ from those behind them."""
    mask: Mask = values[1:] != values[:-1]
    return mask


def _octets(live: Rows) -> dict[int, int]:
    files, places = np.unique(live["file"], return_inverse=True)
    sums = np.zeros(len(files), np.int64)
    np.add.at(sums, places, live["octets"])
    return dict(zip(files.tolist(), sums.tolist(), strict=True))
