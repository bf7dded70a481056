"""The accounts of a feed: what became of each article at the outfeed and at each peer, and whether it adds up."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from forebay.cli.offers import Report, verdict_counts
from forebay.cli.peertable import COLUMNS
from forebay.cli.printing import print_table
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

WAITING = ("deferred", "queued", "in_flight")
"""What is still to come."""
ALWAYS_SHOWN = ("accepted", "refused", "rejected", "deferred", "queued")
"""Also when all are 0."""
REACHED = ("accepted", "refused")
"""What the peer has: it took it, or had it already."""


@dataclass(frozen=True)
class Accounts:
    """The state of a feed at one moment."""

    files: int
    """Articles that were to be offered."""
    report: Report
    peers: Sequence[pb.PeerStatus]

    def problems(self) -> list[str]:
        """What is missing or does not add up; nothing when every article reached every peer that wants it."""
        return [*self._of_articles(), *(problem for peer in self.peers for problem in peer_problems(peer))]

    def _of_articles(self) -> Iterator[str]:
        tally = self.report.tally
        if tally.judged < self.files:
            yield f"{self.files - tally.judged} of {self.files} articles have no verdict"
        for each in self.report.rejected:
            yield f"{each.file} was rejected: {each.reason}"

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "articles": self.report.plain(),
            "peers": [{"name": peer.name, "offered": peer.counters.offered, **columns_of(peer)} for peer in self.peers],
            "problems": self.problems(),
        }

    def print(self) -> None:
        """Print both tables, and the outcome."""
        print()
        counts = verdict_counts(self.report.tally)
        title = "Articles: offered = accepted + duplicate + no peer + rejected"
        print_table(title, [f">{name.replace('_', ' ')}" for name in counts], [tuple(counts.values())])
        shown = [name for name in COLUMNS if name in ALWAYS_SHOWN or any(columns_of(peer)[name] for peer in self.peers)]
        columns = ("peer", ">offered", *(f">{name.replace('_', ' ')}" for name in shown))
        rows = [(peer.name, peer.counters.offered, *map(columns_of(peer).get, shown)) for peer in self.peers]
        print_table("Peers: offered = the sum of the columns after it", columns, rows)
        if problems := self.problems():
            print("Missing:", *problems, sep="\n  ")
        else:
            print("All accounts add up: every article reached every peer that wants it.")


def columns_of(peer: pb.PeerStatus) -> dict[str, int]:
    """What the articles offered to a peer are divided into."""
    return {name: getattr(peer.counters, name) for name in COLUMNS}


def is_settled(peers: Iterable[pb.PeerStatus]) -> bool:
    """Whether nothing waits for any peer."""
    return not any(getattr(peer.counters, name) for peer in peers for name in WAITING)


def peer_problems(peer: pb.PeerStatus) -> Iterator[str]:
    """What a peer lacks, and whether its figures add up."""
    columns, offered = columns_of(peer), peer.counters.offered
    if sum(columns.values()) != offered:
        yield f"{peer.name}: the columns add up to {sum(columns.values())}, not to the {offered} offered"
    lacking = {name: count for name, count in columns.items() if count and name not in REACHED}
    if lacking:
        parts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in lacking.items())
        yield f"{peer.name}: {sum(lacking.values())} of {offered} articles did not reach it: {parts}"
