"""Peers as a table: one row a peer."""

from collections.abc import Sequence

from rich.console import Group

from forebay.cli.plainmessage import short_name
from forebay.cli.printing import framed, make_table
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb

COLUMNS = ("accepted", "refused", "rejected", "deferred", "expired", "dropped", "dead_lettered", "queued", "in_flight")
"""What the articles offered to a peer are divided into."""
_SHOWN = ("offered", "accepted", "refused", "rejected", "deferred")
_STATE = pb.PeerStatus.DESCRIPTOR.fields_by_name["state"]


def state_of(peer: pb.PeerStatus) -> str:
    """A peer's state in words."""
    return short_name(_STATE, peer.state).replace("_", " ")


def peer_table(peers: Sequence[pb.PeerStatus], title: str = "") -> Group:
    """The figures of peers.

    Queued is all that waits to be sent; backlog is the part of the queued and the deferred that is on Redis; rate is in
    articles a second.
    """
    figures = (*_SHOWN, "queued")
    table = make_table(("peer", "state", *(f">{name}" for name in (*figures, "backlog", "rate"))))
    for peer in peers:
        numbers = [*(getattr(peer.counters, name) for name in figures), peer.backlog.entries]
        table.add_row(
            peer.name, state_of(peer), *(f"{number:,}" for number in numbers), f"{peer.articles_per_second:,.0f}"
        )
    return framed(title, table, (f"{peer.name}: {peer.reason}" for peer in peers if peer.reason))


def peer_line(peer: pb.PeerStatus) -> str:
    """The same as a line of text."""
    counters = peer.counters
    figures = " ".join(f"{name} {getattr(counters, name)}" for name in (*_SHOWN, "queued"))
    backlog, rate = peer.backlog.entries, peer.articles_per_second
    return f"{peer.name} {state_of(peer)}: {figures} backlog {backlog} rate {rate:.0f}/s"
