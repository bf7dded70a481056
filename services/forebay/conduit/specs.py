"""What the spec of a ConduitNode means for its parts."""

from __future__ import annotations

import time
from hashlib import blake2b
from math import inf
from typing import TYPE_CHECKING, Any

from forebay.api.v1alpha1.conduits import NumberLength
from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.declarations.quality import Told
from forebay.conduit.core.declarations.settings import DeclarationSettings
from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.sealing import Authentication
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.wire.extras import LONG_NUMBER_BITS, Extra, Extras
from forebay.conduit.core.wire.properties import DEFAULT_NUMBER_BITS, Durability
from forebay.conduit.settings import ClientSettings
from forebay.conduit.transport.lives import LIVES
from forebay.conduit.transport.places import Place, parse_place
from forebay.conduit.transport.settings import TransportSettings
from forebay.runtime.errors import FieldError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from forebay.api.v1alpha1 import ConduitNode
    from forebay.api.v1alpha1.conduitnode import ConduitNodeSpec, DeclaredResource
    from forebay.api.v1alpha1.conduits import Conduit
    from forebay.api.v1alpha1.conduits import Extras as ExtrasSpec

OWN_ID_OCTETS = 15
"""Of an id that is made of a uid; one more octet tells pods of a resource apart."""
ANY = "::"
"""The address that stands for all, of IPv4 too."""


def peer_id_of(node: ConduitNode, ordinal: int) -> bytes:
    """By what peers know the pod of that number: the same after a restart."""
    spec = node.spec
    if spec.peer_id:
        return bytes.fromhex(spec.peer_id) + (bytes([ordinal]) if ordinal else b"")
    return blake2b(node.metadata.uid.encode(), digest_size=OWN_ID_OCTETS).digest() + bytes([ordinal])


def node_settings(spec: ConduitNodeSpec, peer_id: bytes, keys: Mapping[int, bytes]) -> NodeSettings:
    """The core's part; `keys` seal datagrams, if there are any. Raises `FieldError`."""
    bits = LONG_NUMBER_BITS if spec.numbers is NumberLength.LONG else DEFAULT_NUMBER_BITS
    multicast = spec.listeners.multicast
    conduits = tuple(conduit_settings(each, bits, f"spec.conduits[{at}]") for at, each in enumerate(spec.conduits))
    try:
        return NodeSettings(
            session=_session_settings(spec, peer_id),
            multicast=conduits,
            unicast=conduit_settings(spec.unicast, bits, "spec.unicast"),
            unicast_by_peer={
                bytes.fromhex(each.peer_id): conduit_settings(each, bits, f"spec.unicastByPeer[{at}]")
                for at, each in enumerate(spec.unicast_by_peer)
            },
            authentication=_authentication(spec, keys),
            reassembly_octets=spec.extras.fragments.buffer,
            reassembly_seconds=spec.extras.fragments.timeout.total_seconds(),
            conduits_in=spec.limits.conduits,
            group=(multicast.group, multicast.port) if multicast else None,
            declarations=_declaration_settings(spec),
            offload_replies=spec.offload_replies,
        )
    except SettingError as error:
        raise FieldError("spec", str(error)) from error


def conduit_settings(conduit: Conduit, number_bits: int, field: str) -> ConduitSettings:
    """One conduit. Raises `FieldError`."""
    window, synch = conduit.window, conduit.synch
    try:
        return ConduitSettings(
            window_octets=window.size,
            window_samples=window.samples,
            drain_to=window.drain_to,
            latency_budget=conduit.latency_budget.total_seconds(),
            mtu=conduit.packet_size,
            number_bits=number_bits,
            synch_interval=synch.interval.total_seconds(),
            synch_longest=synch.longest.total_seconds(),
            round_trip=conduit.round_trip.total_seconds(),
            reorder_samples=conduit.reorder_samples,
        )
    except SettingError as error:
        raise FieldError(field, str(error)) from error


def extras_of(spec: ExtrasSpec) -> Extras:
    """What is offered to nodes of our own kind."""
    chosen = {
        Extra.FRAGMENTS: spec.fragments.enabled,
        Extra.HISTORY: spec.history,
        Extra.LIVELINESS: spec.liveliness,
        Extra.QUERIES: spec.queries,
    }
    offered = Extra(sum(extra for extra, wanted in chosen.items() if wanted))
    bits = LONG_NUMBER_BITS if spec.long_numbers else DEFAULT_NUMBER_BITS
    return Extras(offered, bits, spec.fragments.max_sample if spec.fragments.enabled else 0)


def transport_settings(spec: ConduitNodeSpec, address: str, others: Sequence[str]) -> TransportSettings:
    """Where it listens, and whom it seeks; `address`: where the spec names none. Raises `FieldError`."""
    listeners = spec.listeners
    udp, tcp, group = listeners.udp, listeners.tcp, listeners.multicast
    host = udp.address or address
    if group and ":" in host:
        if udp.address or host != ANY:
            raise FieldError("spec.listeners.udp.address", f"is {host}: groups are of IPv4, give an address of IPv4")
        host = "0.0.0.0"  # noqa: S104 the same of IPv4
    return TransportSettings(
        listen=Place("udp", host, udp.port),
        group=Place("udp", group.group, group.port) if group else None,
        interface=(group and group.interface) or "0.0.0.0",  # noqa: S104 the system's own choice
        streams=Place("tcp", tcp.address or address, tcp.port) if tcp else None,
        most_streams=spec.limits.peers,
        socket_octets=spec.limits.socket_buffer,
        peers=tuple(parse_place(each, "spec.peers") for each in dict.fromkeys([*others, *spec.peers])),
        resolve_interval=spec.scouting.resolve_interval.total_seconds(),
    )


def client_settings(spec: ConduitNodeSpec) -> ClientSettings:
    """What clients may have."""
    congestion, limits = spec.congestion, spec.limits
    return ClientSettings(
        congestion=Congestion(congestion.policy.value),
        deadline=congestion.deadline.total_seconds() or inf,
        resources=limits.resources,
        publishers=limits.publishers,
        subscribers=limits.subscribers,
        queued_samples=limits.queued_samples,
        aside_octets=limits.aside,
    )


def told_of(resource: DeclaredResource) -> Told:
    """What is told of a resource that the node declares as it starts."""
    return Told(resource.reliable, Durability[resource.durability.name] if resource.durability else None)


def lasting(spec: ConduitNodeSpec) -> dict[str, Any]:
    """What holds for as long as the service runs, by its field."""
    listeners, scouting, limits = spec.listeners, spec.scouting, spec.limits
    secret = spec.authentication
    return {
        "spec.peerId": spec.peer_id,
        "spec.listeners.udp": listeners.udp,
        "spec.listeners.multicast": listeners.multicast,
        "spec.listeners.tcp": listeners.tcp,
        "spec.scouting": (scouting.enabled, scouting.interval, scouting.count),
        "spec.lease": spec.lease,
        "spec.opening": spec.opening,
        "spec.numbers": spec.numbers,
        "spec.conduits": spec.conduits,
        "spec.unicast": spec.unicast,
        "spec.unicastByPeer": spec.unicast_by_peer,
        "spec.extras": spec.extras,
        "spec.authentication": (secret is not None, secret.tolerance if secret else None),
        "spec.offloadReplies": spec.offload_replies,
        "spec.limits": (limits.peers, limits.conduits, limits.socket_buffer, _declaration_settings(spec)),
    }


def _session_settings(spec: ConduitNodeSpec, peer_id: bytes) -> SessionSettings:
    return SessionSettings(
        peer_id,
        life=LIVES.begin(),
        lease=spec.lease.total_seconds(),
        scout_interval=spec.scouting.interval.total_seconds() if spec.scouting.enabled else inf,
        scout_count=spec.scouting.count,
        open_interval=spec.opening.interval.total_seconds(),
        open_tries=spec.opening.tries,
        max_peers=spec.limits.peers,
        extras=extras_of(spec.extras),
    )


def _declaration_settings(spec: ConduitNodeSpec) -> DeclarationSettings:
    limits = spec.limits
    return DeclarationSettings(
        max_uri=limits.uri_length,
        most_declarations=limits.declarations,
        most_pending=limits.pending_declarations,
        kept_samples=limits.pulled_samples,
        history_octets=limits.history,
        most_queries=limits.queries,
    )


def _authentication(spec: ConduitNodeSpec, keys: Mapping[int, bytes]) -> Authentication | None:
    if spec.authentication is None:
        return None
    tolerance = spec.authentication.tolerance.total_seconds()
    return Authentication(keys, spec.authentication.keys[0].id, time.time, tolerance)
