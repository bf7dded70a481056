"""What an Announcer's spec means for its parts."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING

from forebay.announcer.access import AccessList, Mode
from forebay.announcer.forwarding.failurepolicy import OwnPolicy
from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
from forebay.announcer.forwarding.settings import ForwardingSettings
from forebay.announcer.fronts.desk import AnnounceSettings
from forebay.announcer.fronts.httpfront import HttpLimits
from forebay.announcer.fronts.proxies import TrustedProxies
from forebay.announcer.swarms.swarmtable import SwarmLimits

if TYPE_CHECKING:
    from datetime import timedelta

    from forebay.api.v1alpha1 import AnnouncerSpec, ClientSettings, Forwarder, Forwarding, SwarmSettings, TorrentList


def announce_settings(clients: ClientSettings) -> AnnounceSettings:
    """What clients are told."""
    return AnnounceSettings(
        interval=round(clients.interval.total_seconds()),
        min_interval=round(clients.min_interval.total_seconds()),
        numwant=clients.numwant,
        most_numwant=clients.max_numwant,
        tracker_id=clients.tracker_id.encode(),
    )


def http_limits(clients: ClientSettings) -> HttpLimits:
    """How much clients may ask of the front for HTTP."""
    return HttpLimits(most_connections=clients.max_connections)


def trusted_proxies(clients: ClientSettings) -> TrustedProxies:
    """Who is believed about the address of a client. Raises `ValueError` for what is no network."""
    return TrustedProxies(ip_network(network, strict=False) for network in clients.trusted_proxies)


def swarm_limits(swarms: SwarmSettings) -> SwarmLimits:
    """How much is remembered, and how long."""
    return SwarmLimits(swarms.peer_age.total_seconds(), swarms.max_peers, swarms.max_swarms)


def access_list(torrents: TorrentList) -> AccessList:
    """Which torrents are tracked."""
    return AccessList(Mode(torrents.mode.value), map(bytes.fromhex, torrents.info_hashes))


def forwarding_settings(spec: AnnouncerSpec) -> ForwardingSettings:
    """How announces are passed on."""
    wanted: Forwarding = spec.forwarding
    return ForwardingSettings(
        queue_size=wanted.queue_size,
        workers=wanted.workers,
        max_workers=wanted.max_workers,
        scale_threshold=wanted.scale_threshold,
        rate_limit_threshold=wanted.rate_limit_threshold,
        rate_limit_per_second=wanted.rate_limit_per_second,
        rate_limit_burst=wanted.rate_limit_burst,
        throttle_threshold=wanted.throttle_threshold,
        throttle_top=wanted.throttle_top,
        max_forwarders=wanted.max_forwarders,
        retry_period=wanted.retry_period.total_seconds(),
        suspension=wanted.suspension.total_seconds(),
        attempts=wanted.attempts,
        retry_base=wanted.retry_base.total_seconds(),
        fail_threshold=wanted.fail_threshold,
    )


def forwarder_spec(forwarder: Forwarder) -> ForwarderSpec:
    """One upstream tracker."""
    spec, policy = forwarder.spec, forwarder.spec.failure_policy
    return ForwarderSpec(
        name=forwarder.metadata.name,
        url=spec.url,
        host=spec.host_header or "",
        ip=spec.external_ip or "",
        timeout=spec.timeout.total_seconds(),
        own=OwnPolicy(
            suspension=_seconds(policy.suspension),
            attempts=policy.attempts,
            retry_base=_seconds(policy.retry_base),
            fail_threshold=policy.fail_threshold,
        ),
    )


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()
