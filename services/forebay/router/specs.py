"""What the specs of a Router and of its RouterLinks mean for its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.api.v1alpha1 import LinkTransport
from forebay.router.links.settings import DomainRule, LinkSettings
from forebay.router.links.window import RetrySettings
from forebay.router.settings import NameRule, OutletLimits, RouterSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.api.v1alpha1 import LinkRetry, RouterLink, RouterQueues, RouterSpec


def router_settings(spec: RouterSpec, name: str) -> RouterSettings:
    """One router of that name."""
    return RouterSettings(
        router=name,
        domain=spec.domain,
        heartbeat=spec.heartbeat.interval.total_seconds(),
        missed=spec.heartbeat.missed,
        most_processes=spec.max_processes,
        most_threads=spec.max_threads,
        outlets=outlet_limits(spec.queues),
        names=tuple(NameRule(rule.principal, rule.names) for rule in spec.names),
    )


def outlet_limits(queues: RouterQueues) -> OutletLimits:
    """What may wait in memory."""
    return OutletLimits(high=queues.high, low=queues.low, most=queues.limit)


def retry_settings(retry: LinkRetry) -> RetrySettings:
    """How losses are made up for."""
    return RetrySettings(attempts=retry.attempts, interval=retry.interval.total_seconds())


def domain_rules(spec: RouterSpec) -> Sequence[DomainRule]:
    """Who may link."""
    return tuple(DomainRule(rule.domain, rule.principals) for rule in spec.domains)


def link_settings(link: RouterLink) -> LinkSettings:
    """One link to another domain."""
    spec = link.spec
    return LinkSettings(
        name=link.metadata.name,
        addresses=spec.addresses,
        udp=spec.transport is LinkTransport.UDP,
        cost=spec.cost,
        domain=spec.domain,
        retry=retry_settings(spec.retry),
        server_name=spec.tls.server_name if spec.tls else "",
        suspended=spec.suspended,
    )
