"""What `top` shows: peers by how much waits for them, with what happened since the look before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from rich.text import Text

from forebay.cli.peertable import shortened, state_of
from forebay.cli.printing import make_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType

    from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

HEADS = ("peer", "state", ">accepted/s", ">refused/s", ">rejected/s", ">accept %", ">backlog", ">oldest", ">lines")


@dataclass(frozen=True)
class TopRow:
    """One peer of one outfeed."""

    outfeed: str
    """Address of the service."""
    peer: pb.PeerStatus
    accepted: float
    """Articles a second since the look before; 0 at the first look, as the next two."""
    refused: float
    rejected: float

    @property
    def backlog(self) -> int:
        """Articles that wait: queued, put off, and in flight."""
        counters = self.peer.counters
        return counters.queued + counters.deferred + counters.in_flight

    @property
    def accept_percentage(self) -> float | None:
        """Of the articles answered since the look before, the share that was accepted; of all, when none was."""
        counters = self.peer.counters
        lately = self.accepted + self.refused + self.rejected
        answered = lately or counters.accepted + counters.refused + counters.rejected
        return 100 * (self.accepted if lately else counters.accepted) / answered if answered else None


class Looks:
    """The last look at each outfeed."""

    def __init__(self) -> None:
        self.troubles: dict[str, str] = {}
        """What is wrong with an outfeed that does not answer, by address."""
        self._times: dict[str, float] = {}
        self._rows: dict[str, list[TopRow]] = {}

    def add(self, outfeed: str, response: pb.WatchPeersResponse) -> None:
        """Another look at an outfeed."""
        time = response.time.ToDatetime(UTC).timestamp()
        before = {row.peer.name: row.peer for row in self._rows.get(outfeed, ())}
        seconds = time - self._times.get(outfeed, time)
        self._rows[outfeed] = [_row(outfeed, peer, before.get(peer.name), seconds) for peer in response.peers]
        self._times[outfeed] = time
        self.troubles.pop(outfeed, None)

    def rows(self) -> list[TopRow]:
        """All peers, those for which most waits first."""
        rows = [row for outfeed in self._rows.values() for row in outfeed]
        return sorted(rows, key=lambda row: (-row.backlog, row.peer.name, row.outfeed))


def _row(outfeed: str, peer: pb.PeerStatus, before: pb.PeerStatus | None, seconds: float) -> TopRow:
    def rate(name: str) -> float:
        if before is None or seconds <= 0:
            return 0.0
        # A service that was started again counts from 0.
        rise: int = getattr(peer.counters, name) - getattr(before.counters, name)
        return max(0, rise) / seconds

    return TopRow(outfeed, peer, rate("accepted"), rate("refused"), rate("rejected"))


class TopTable:
    """Rows with a title; the outfeed is told where there are several."""

    def __init__(self, rows: Sequence[TopRow], title: str = "", notes: Iterable[str] = ()) -> None:
        self._rows = rows
        self._title = title
        self._notes = notes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if self._title:
            yield Text(self._title)
        several = len({row.outfeed for row in self._rows}) > 1
        table = make_table((*HEADS, "outfeed") if several else HEADS)
        table.columns[1].no_wrap = True
        for row in self._rows:
            table.add_row(*cells(row), *([row.outfeed] if several else []))
        yield table
        yield from map(Text, self._notes)


def cells(row: TopRow) -> list[str]:
    """The texts of a row, in the order of `HEADS`."""
    share = row.accept_percentage
    return [
        row.peer.name,
        state_of(row.peer),
        *(f"{rate:,.0f}" for rate in (row.accepted, row.refused, row.rejected)),
        "" if share is None else f"{share:.1f}",
        shortened(row.backlog),
        _age(row.peer),
        f"{len(row.peer.connections)}/{row.peer.max_connections}",
    ]


def _age(peer: pb.PeerStatus) -> str:
    if not peer.HasField("oldest_queued_age"):
        return ""
    seconds = peer.oldest_queued_age.ToSeconds()
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"
