"""When a periodic subscription is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.conduit.core.wire.declarations import Period


def opens_at(period: Period | None, since: float, now: float) -> float:
    """When it is open next: `now` if it is; without a period it always is. All but the period in seconds.

    The period counts from `since`, when the subscription was declared: clocks of nodes have no origin in common.
    """
    if period is None:
        return now
    start = since + period.origin / 1000
    if now < start or not period.period:
        return max(now, start)
    into = (now - start) % (period.period / 1000)
    if not period.duration or into < period.duration / 1000:
        return now
    return now - into + period.period / 1000
