"""Peers as a table: one row a peer."""

from collections.abc import Callable, Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from forebay.cli.plainmessage import short_name
from forebay.cli.printing import make_table
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

COLUMNS = ("accepted", "refused", "rejected", "deferred", "expired", "dropped", "dead_lettered", "queued", "in_flight")
"""What the articles offered to a peer are divided into."""
_SHOWN = ("offered", "accepted", "refused", "rejected", "deferred")
_STATE = pb.PeerStatus.DESCRIPTOR.fields_by_name["state"]
_ENDLESS = 10_000
"""Columns of a terminal that nothing is too wide for."""


def state_of(peer: pb.PeerStatus) -> str:
    """A peer's state in words."""
    return short_name(_STATE, peer.state).replace("_", " ")


class PeerTable:
    """The figures of peers. Where the terminal is too narrow for them they are shortened, and queued is left out.

    Queued is all that waits to be sent; backlog is the part of the queued and the deferred that is on Redis; rate is in
    articles a second.
    """

    def __init__(self, peers: Sequence[pb.PeerStatus], title: str = "") -> None:
        self._peers = peers
        self._title = title

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if self._title:
            yield Text(self._title)
        table = self._table((*_SHOWN, "queued"), "{:,}".format)
        if console.measure(table, options=options.update(width=_ENDLESS)).maximum > options.max_width:
            table = self._table(_SHOWN, shortened)
        yield table
        for peer in self._peers:
            if peer.reason:
                yield Text(f"{peer.name}: {peer.reason}")

    def _table(self, figures: Sequence[str], text: Callable[[int], str]) -> Table:
        table = make_table(("peer", "state", *(f">{name}" for name in (*figures, "backlog", "rate"))))
        name, state = table.columns[:2]
        name.overflow, state.no_wrap = "fold", True
        for peer in self._peers:
            numbers = [*(getattr(peer.counters, name) for name in figures), peer.backlog.entries]
            table.add_row(peer.name, state_of(peer), *map(text, (*numbers, round(peer.articles_per_second))))
        return table


def shortened(number: int) -> str:
    """A number in six characters: whole thousands and millions of the larger ones, rounded down."""
    if number < 100_000:
        return f"{number:,}"
    return f"{number // 1000:,}K" if number < 10_000_000 else f"{number // 1_000_000:,}M"


def peer_line(peer: pb.PeerStatus) -> str:
    """The same as a line of text."""
    counters = peer.counters
    figures = " ".join(f"{name} {getattr(counters, name)}" for name in (*_SHOWN, "queued"))
    backlog, rate = peer.backlog.entries, peer.articles_per_second
    return f"{peer.name} {state_of(peer)}: {figures} backlog {backlog} rate {rate:.0f}/s"
