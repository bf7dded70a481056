"""The throttle: how many forwarders an announce may go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from forebay.announcer.forwarding.jobqueue import JobQueue
    from forebay.announcer.forwarding.settings import ForwardingSettings


class Quota(NamedTuple):
    """How many of the eligible forwarders an announce goes to."""

    forwarders: int
    throttled: int
    """How many fewer they are for the throttle; those that the maximum leaves out are not among them."""


def quota(eligible: int, queue: JobQueue, settings: ForwardingSettings) -> Quota:
    """The share of an announce that has `eligible` forwarders: the smaller of the limits that hold now."""
    allowed = min(eligible, settings.max_forwarders)
    if not throttles(queue, settings):
        return Quota(allowed, 0)
    chosen = min(allowed, settings.throttle_top)
    return Quota(chosen, allowed - chosen)


def throttles(queue: JobQueue, settings: ForwardingSettings) -> bool:
    """Whether announces go to fewer forwarders now."""
    return settings.throttle_top > 0 and queue.reaches(settings.throttle_threshold)
