"""From a Peerfeed resource to what each part of a peer takes."""

from dataclasses import dataclass
from datetime import timedelta
from socket import AF_INET, AF_INET6, AF_UNSPEC

from forebay.api.v1alpha1 import Family, Growth, HashMethod, Network, Peerfeed, PeerfeedSpec, Weekday
from forebay.outfeed.incoming.hashfeed import HashShare
from forebay.outfeed.incoming.rules import PeerRules
from forebay.outfeed.peering.deferralrest import DeferralRest
from forebay.outfeed.peering.flow import FlowSettings
from forebay.outfeed.peering.growth import GrowthSettings
from forebay.outfeed.peering.hours import FeedHours, feed_hours
from forebay.outfeed.peering.lines import LineSettings
from forebay.outfeed.peering.poison import GivingUp
from forebay.outfeed.sending.connectionsettings import ConnectionSettings
from forebay.outfeed.sending.dialling import NetworkSettings
from forebay.outfeed.sending.login import Login
from forebay.outfeed.sending.nocheck import NoCheckSettings
from forebay.outfeed.sending.peertls import TlsSettings
from forebay.runtime.backoff import BackoffSettings
from forebay.spill import SpoolSettings

Place = tuple[str, int]
"""Host and port."""


@dataclass(frozen=True)
class PeerOptions:
    """All options of one peer."""

    name: str
    uid: str
    spec: PeerfeedSpec
    lines: LineSettings
    spool: SpoolSettings
    deferral: DeferralRest
    flow: FlowSettings
    giving_up: GivingUp
    hours: FeedHours | None = None
    """When the peer may be fed; None: always."""

    def rules(self, number: int) -> PeerRules:
        """What the peer wants. Raises `PatternError`."""
        return rules(self.spec, number)


def options(
    peerfeed: Peerfeed, target: Place | None, login: Login | None = None, tls: TlsSettings | None = None
) -> PeerOptions:
    """`target` is where the Outfeed listens that the resource names as its target, if it names one; `login` and `tls`
    are what its `auth` and `tls` stand for. Raises `ValueError` where this machine does not know its time zone.
    """
    spec = peerfeed.spec
    hosts = (target,) if target else tuple((host, spec.port) for host in spec.hosts)
    return PeerOptions(
        name=peerfeed.metadata.name,
        uid=peerfeed.metadata.uid,
        spec=spec,
        lines=_lines(spec, hosts, login, tls),
        spool=SpoolSettings(
            rotate_bytes=spec.backlog.rotate_bytes,
            rotate_age=spec.backlog.rotate_age.total_seconds(),
            limit_bytes=spec.backlog.max_bytes,
            limit_age=_seconds(spec.backlog.max_age),
        ),
        deferral=DeferralRest(
            spec.deferral.min_age.total_seconds(), spec.deferral.factor, spec.deferral.longest.total_seconds()
        ),
        flow=FlowSettings(
            spec.delay.total_seconds(), spec.backlog.first, spec.backlog.enabled, spec.max_rate, spec.headfeed
        ),
        hours=_hours(spec),
        giving_up=GivingUp(spec.dead_letter.max_tries, spec.deferral.max_tries, _seconds(spec.deferral.max_age)),
    )


def rules(spec: PeerfeedSpec, number: int) -> PeerRules:
    """What a peer wants. Raises `PatternError`."""
    originators = spec.originators
    return PeerRules(
        number=number,
        groups=",".join(spec.groups),
        required_groups=",".join(spec.required_groups),
        distributions=tuple(spec.distributions),
        needs_distribution=spec.needs_distribution,
        path_identity=frozenset(spec.path_identity),
        exclude_path=frozenset(spec.exclude_path),
        min_size=spec.min_size or 0,
        max_size=spec.max_size,
        min_crossposts=spec.min_crossposts or 0,
        max_crossposts=spec.max_crossposts,
        max_followups=spec.max_followups,
        max_spread=spec.max_spread,
        min_hops=spec.min_hops or 0,
        max_hops=spec.max_hops,
        article_types=tuple(spec.article_types),
        originators=",".join(originators.patterns) if originators else "",
        unnamed_originator=originators is not None and originators.unnamed,
        hashfeed=_shares(spec),
    )


def _hours(spec: PeerfeedSpec) -> FeedHours | None:
    hours = spec.hours
    if hours is None:
        return None
    days = list(Weekday)
    windows = [([days.index(day) for day in window.days], window.start, window.end) for window in hours.windows]
    return feed_hours(windows, hours.zone)


def _shares(spec: PeerfeedSpec) -> tuple[HashShare, ...]:
    parts = (spec.hashfeed, *spec.hashfeed.further) if spec.hashfeed else ()
    return tuple(
        HashShare(part.first, part.last, part.modulus, part.offset, part.method is HashMethod.SUM) for part in parts
    )


def _lines(spec: PeerfeedSpec, hosts: tuple[Place, ...], login: Login | None, tls: TlsSettings | None) -> LineSettings:
    connections = spec.connections
    growth = connections.growth
    return LineSettings(
        hosts=hosts,
        most=connections.max,
        reconnect=_reconnect(spec),
        connection=_connection(spec, tls),
        initial=min(connections.initial, connections.max),
        start_delay=connections.start_delay.total_seconds(),
        growth=GrowthSettings(
            by_rate=growth in (Growth.RATE, Growth.BOTH),
            by_queue=growth in (Growth.QUEUE, Growth.BOTH),
            low=connections.low,
            high=connections.high,
            filter=connections.filter,
        ),
        login=login,
    )


def _reconnect(spec: PeerfeedSpec) -> BackoffSettings:
    return BackoffSettings(spec.reconnect.initial.total_seconds(), spec.reconnect.maximum.total_seconds())


def _connection(spec: PeerfeedSpec, tls: TlsSettings | None) -> ConnectionSettings:
    nocheck, timeouts = spec.no_check, spec.timeouts
    return ConnectionSettings(
        window=spec.window,
        connect_timeout=timeouts.connect.total_seconds(),
        response_timeout=timeouts.response.total_seconds(),
        idle_timeout=timeouts.idle.total_seconds(),
        lifetime=timeouts.lifetime.total_seconds(),
        network=_network(spec.network),
        tls=tls,
        compress=spec.compress,
        streaming=spec.streaming,
        headfeed=spec.headfeed,
        nocheck=NoCheckSettings(enabled=nocheck.enabled, on=nocheck.high, off=nocheck.low, filter=nocheck.filter),
    )


_FAMILIES = {Family.ANY: AF_UNSPEC, Family.IPV4: AF_INET, Family.IPV6: AF_INET6}


def _network(network: Network) -> NetworkSettings:
    return NetworkSettings(
        sources=tuple(network.bind),
        family=_FAMILIES[network.family],
        pacing_rate=network.pacing_rate,
        congestion_control=network.congestion_control or "",
        send_buffer=network.send_buffer,
        dscp=network.dscp,
    )


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()
