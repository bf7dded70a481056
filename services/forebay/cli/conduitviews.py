"""Showing the peers and declarations of a running node, asking its peers, and ending sessions."""

import sys
from pathlib import Path
from typing import Any

from forebay.cli.conduitchoices import KindChoice
from forebay.cli.conduitsubscribing import SHOWN_ID, readable
from forebay.cli.errors import InputError, UndoneError
from forebay.cli.options import Output
from forebay.cli.plainmessage import plain, short_name
from forebay.cli.printing import print_json, print_json_line, print_table
from forebay.client.conduitservice import ConduitClient
from forebay.pb.conduit.v1 import conduit_pb2 as pb

_CHANGE = pb.PeerEvent.DESCRIPTOR.fields_by_name["change"]
_KIND = pb.Declaration.DESCRIPTOR.fields_by_name["kind"]
_MODE = pb.Declaration.DESCRIPTOR.fields_by_name["mode"]
KINDS = {
    KindChoice.RESOURCE: pb.DECLARATION_KIND_RESOURCE,
    KindChoice.PUBLISHER: pb.DECLARATION_KIND_PUBLISHER,
    KindChoice.SUBSCRIBER: pb.DECLARATION_KIND_SUBSCRIBER,
    KindChoice.SELECTION: pb.DECLARATION_KIND_SELECTION,
    KindChoice.LIVELINESS: pb.DECLARATION_KIND_LIVELINESS,
}
PEER_COLUMNS = ("peer", "address", ">lease", "since", ">not acknowledged", "extras")


async def show_peers(address: str, tls: Path | None, output: Output) -> None:
    """Print a node and its peers."""
    async with ConduitClient.connect(address, tls) as client:
        node = await client.node()
    if output is Output.JSON:
        print_json(legible(plain(node)))
        return
    print_table(f"Node {node.peer_id.hex()}", ("", ">"), node_rows(node))
    print()
    print_table("Peers", PEER_COLUMNS, map(peer_row, node.peers))


def node_rows(node: pb.GetNodeResponse) -> list[tuple[str, object]]:
    """Its places and figures by name."""
    places = [("datagrams", node.address), ("streams", node.stream_address), ("group", node.group)]
    return [
        *((name, place) for name, place in places if place),
        ("resources", node.resources),
        ("clients", node.clients),
        ("publishers", node.publishers),
        ("subscribers", node.subscribers),
        ("published", node.published),
        ("delivered", node.delivered),
        ("undelivered", node.undelivered),
        ("in the Spill", node.spilled),
    ]


def peer_row(peer: pb.PeerStatus) -> tuple[object, ...]:
    """A peer as a row of a table."""
    lease = f"{peer.lease.ToMilliseconds() / 1000:g} s" if peer.HasField("lease") else "for ever"
    extras = " ".join(peer.extras)
    return (peer.peer_id.hex(), peer.address, lease, peer.since.ToJsonString(), peer.unacknowledged, extras)


async def watch_peers(address: str, tls: Path | None, output: Output) -> None:
    """Print peers, and each that comes or goes, for ever."""
    async with ConduitClient.connect(address, tls) as client:
        async for events in client.watch_peers():
            for event in events:
                if output is Output.JSON:
                    print_json_line(legible(plain(event)))
                else:
                    print(peer_line(event), flush=True)


def peer_line(event: pb.PeerEvent) -> str:
    """A change of a session as a line."""
    more = f": {event.reason}" if event.reason else ""
    if event.previous and event.previous != event.peer_id:
        more = f" (it was {event.previous.hex()})"
    change = short_name(_CHANGE, event.change)
    return f"{event.time.ToJsonString()} {event.peer_id.hex()} {event.address} {change}{more}"


async def show_declarations(
    prefix: str, kind: KindChoice | None, peer: str, address: str, tls: Path | None, output: Output
) -> None:
    """Print declarations by URI."""
    peer_id = octets("--peer", peer)
    wanted = KINDS[kind] if kind else None
    async with ConduitClient.connect(address, tls) as client:
        own = (await client.node()).peer_id
        found = [each async for each in client.declarations(prefix, peer_id=peer_id, kind=wanted)]
    if output is Output.JSON:
        print_json([legible(plain(each)) for each in found])
    else:
        print_table("", ("uri", "kind", ">number", "peer", "mode"), (declaration_row(each, own) for each in found))


def declaration_row(each: pb.Declaration, own: bytes) -> tuple[object, ...]:
    """A declaration as a row of a table."""
    who = "this node" if each.peer_id == own else each.peer_id.hex()
    mode = short_name(_MODE, each.mode) if each.mode else ""
    return (each.uri, short_name(_KIND, each.kind), each.rid, who, mode)


async def ask(pattern: str, payload: str, deadline: float, address: str, tls: Path | None, output: Output) -> None:
    """Print answers as they come. Raises `UndoneError` when a peer did not answer."""
    silent: list[str] = []
    async with ConduitClient.connect(address, tls) as client:
        async for response in client.query(pattern, payload.encode(), deadline=deadline):
            for reply in response.replies:
                print_reply(reply, output)
            silent += [peer_id.hex() for peer_id in response.unanswered]
    if silent:
        raise UndoneError(f"{len(silent)} peers have not answered, or not all of it: {', '.join(silent)}")


def print_reply(reply: pb.Reply, output: Output) -> None:
    """Print one answer, on a line of its own."""
    if output is Output.JSON:
        print_json_line({"uri": reply.uri, "peer": reply.peer_id.hex(), **readable(reply.payload)})
    else:
        text = reply.payload.decode(errors="backslashreplace")
        print(f"{reply.uri} {reply.peer_id[:SHOWN_ID].hex()} {text}", flush=True)


async def close_session(peer: str, reason: str, address: str, tls: Path | None) -> None:
    """End a session, and tell whose it was."""
    async with ConduitClient.connect(address, tls) as client:
        if "/" in peer:
            peer_id = await client.close_session(address=peer, reason=reason)
        else:
            peer_id = await client.close_session(peer_id=octets("PEER", peer), reason=reason)
    print(f"The session with {peer_id.hex()} has ended.", file=sys.stderr)


def octets(where: str, text: str) -> bytes:
    """An id of hexadecimal digits. Raises `InputError`."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InputError(f"{where} {text!r} is no id", "Give it as `forebay conduit peers` shows it.") from None


def legible(value: Any) -> Any:
    """Octets, which are ids, as hexadecimal digits."""
    if isinstance(value, dict):
        return {name: legible(each) for name, each in value.items()}
    if isinstance(value, list):
        return [legible(each) for each in value]
    return value.hex() if isinstance(value, bytes) else value
