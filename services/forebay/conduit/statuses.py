"""How peers, declarations and the node are, as the API tells it."""

from __future__ import annotations

import time
from heapq import nsmallest
from math import isinf
from typing import TYPE_CHECKING, cast

from forebay.conduit.addresses import address_text
from forebay.conduit.clients.attachments import Quota
from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationKind
from forebay.conduit.core.session.events import PeerChange
from forebay.conduit.core.wire.locators import Locator
from forebay.pb.conduit.v1 import conduit_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forebay.conduit.core.declarations.events import DeclarationEvent
    from forebay.conduit.core.declarations.inventory import Known
    from forebay.conduit.core.session.events import PeerEvent
    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.node import ServiceNode

PEER_CHANGES = {
    PeerChange.CONNECTED: pb.PEER_CHANGE_CONNECTED,
    PeerChange.DISCONNECTED: pb.PEER_CHANGE_DISCONNECTED,
    PeerChange.RECONNECTED: pb.PEER_CHANGE_RECONNECTED,
}
CHANGES = {
    DeclarationChange.CONFLICT: pb.DECLARATION_CHANGE_CONFLICT,
    DeclarationChange.REFUSED: pb.DECLARATION_CHANGE_REFUSED,
}
KINDS = {
    DeclarationKind.RESOURCE: pb.DECLARATION_KIND_RESOURCE,
    DeclarationKind.PUBLISHER: pb.DECLARATION_KIND_PUBLISHER,
    DeclarationKind.SUBSCRIBER: pb.DECLARATION_KIND_SUBSCRIBER,
    DeclarationKind.SELECTION: pb.DECLARATION_KIND_SELECTION,
    DeclarationKind.LIVELINESS: pb.DECLARATION_KIND_LIVELINESS,
}


def node_status(node: ServiceNode) -> pb.GetNodeResponse:
    """How a node is."""
    station, tally, clients = node.station, node.tally, node.attachments
    streams, sealing = station.engine.stream_address, station.core.sealing
    group = station.settings.group_address
    return pb.GetNodeResponse(
        peer_id=node.peer_id,
        peers=[peer_status(node, peer) for peer in station.peers],
        resources=resources(node),
        undelivered=tally.undelivered,
        address=address_text(station.address),
        stream_address=address_text(Locator("tcp", *streams)) if streams else "",
        group=address_text(group) if group else "",
        clients=len(clients),
        publishers=clients.counted(Quota.PUBLISHERS),
        subscribers=clients.counted(Quota.SUBSCRIBERS),
        published=tally.accepted,
        delivered=tally.delivered,
        spilled=node.reservoir.waiting if node.reservoir else 0,
        refused_datagrams=sealing.refused.total() if sealing else 0,
    )


def resources(node: ServiceNode) -> int:
    """How many resources are known."""
    return len(node.station.core.declarations.directory.names.resources)


def peer_status(node: ServiceNode, peer: Peer) -> pb.PeerStatus:
    """How a peer is."""
    outlet = node.station.core.transmission.find(-peer.index - 1)
    status = pb.PeerStatus(
        peer_id=peer.peer_id,
        address=address_text(peer.address),
        extras=[extra.name.lower() for extra in peer.extras.offered if extra.name],
        unacknowledged=outlet.conduit.window.unacknowledged if outlet else 0,
    )
    if not isinf(peer.lease):
        status.lease.FromMilliseconds(round(peer.lease * 1000))
    since = time.time() - (time.monotonic() - peer.established_at)
    status.since.FromMilliseconds(round(since * 1000))
    return status


def connected(peer: Peer) -> pb.PeerEvent:
    """A peer that was there before anybody watched."""
    event = pb.PeerEvent(change=pb.PEER_CHANGE_CONNECTED, peer_id=peer.peer_id, address=address_text(peer.address))
    since = time.time() - (time.monotonic() - peer.established_at)
    event.time.FromMilliseconds(round(since * 1000))
    return event


def peer_event(event: PeerEvent) -> pb.PeerEvent:
    """A change of a session, which has just happened."""
    told = pb.PeerEvent(
        change=PEER_CHANGES[event.change],
        peer_id=event.peer_id,
        address=address_text(event.address),
        previous=event.previous or b"",
        reason=event.reason,
    )
    told.time.GetCurrentTime()
    return told


def declaration_event(event: DeclarationEvent, own: bytes) -> pb.DeclarationEvent:
    """What has happened to a declaration; `own`: the node's id."""
    declaration = pb.Declaration(peer_id=event.peer_id or own, kind=KINDS[event.kind], rid=event.rid, uri=event.uri)
    return pb.DeclarationEvent(change=CHANGES[event.change], declaration=declaration, reason=event.reason)


def declaration(known: Known, own: bytes) -> pb.Declaration:
    """A declaration; `own`: the node's id."""
    mode = cast("pb.SubscriptionMode", known.mode)
    return pb.Declaration(peer_id=known.peer_id or own, kind=KINDS[known.kind], rid=known.rid, uri=known.uri, mode=mode)


Key = tuple[str, str, int, bytes]
"""By what declarations are in order: URI, kind, number and peer."""


def key_of(known: Known) -> Key:
    """Where a declaration is among all."""
    return known.uri, known.kind.value, known.rid, known.peer_id


def page_of(found: Iterable[Known], after: str, count: int) -> tuple[list[Known], str]:
    """The first `count` behind the place `after`, and the place of the last one if there are more.

    Raises `ValueError` when `after` is no place.
    """
    if after:
        place = place_of(after)
        found = (each for each in found if key_of(each) > place)
    page = nsmallest(count + 1, found, key_of)
    return page[:count], (token_of(page[count - 1]) if len(page) > count else "")


def token_of(known: Known) -> str:
    """The place of a declaration, as text."""
    uri, kind, rid, peer_id = key_of(known)
    return f"{uri} {kind} {rid} {peer_id.hex()}"


def place_of(token: str) -> Key:
    """The place that a token tells. Raises `ValueError`."""
    uri, kind, rid, peer_id = token.split(" ")
    return uri, kind, int(rid), bytes.fromhex(peer_id)
