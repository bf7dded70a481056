"""The overview: queue, schedule, workers and forwarders as they are now, for whoever asks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forebay.announcer.forwarding.forwarderstate import Condition
from forebay.announcer.forwarding.status import ForwarderStatus, QueueStatus, ScheduledJob
from forebay.announcer.forwarding.throttle import throttles

if TYPE_CHECKING:
    from forebay.announcer.forwarding.dispatcher import Dispatcher
    from forebay.announcer.forwarding.forwarderstate import ForwarderState
    from forebay.announcer.forwarding.job import Job

UPCOMING = 10
"""Scheduled jobs that are shown."""


def queue_status(dispatcher: Dispatcher, workers: int, now: float) -> QueueStatus:
    """The queue, the schedule and the workers, of which `workers` run. `now` is monotonic seconds."""
    jobs = dispatcher.jobs
    return QueueStatus(
        depth=jobs.queue.depth,
        capacity=jobs.queue.capacity,
        fill=jobs.queue.fill,
        workers=workers,
        max_workers=dispatcher.settings.most_workers,
        pending=jobs.pending.count,
        scheduled=len(jobs.schedule),
        next_scheduled=tuple(_scheduled(job, now) for job in jobs.schedule.upcoming(UPCOMING)),
        throttling=throttles(jobs.queue, dispatcher.settings),
        counters=replace(jobs.counters),
    )


def _scheduled(job: Job, now: float) -> ScheduledJob:
    announce = job.announce
    return ScheduledJob(announce.info_hash, job.forwarder, announce.peer_id, (job.scheduled or now) - now)


def forwarder_statuses(dispatcher: Dispatcher, now: float) -> list[ForwarderStatus]:
    """All forwarders, the disabled and suspended ones with their reasons. `now` is monotonic seconds."""
    return [_forwarder(state, now) for state in dispatcher.forwarders.all()]


def _forwarder(state: ForwarderState, now: float) -> ForwarderStatus:
    condition, times = state.condition(now), state.times
    blocked = condition is not Condition.ENABLED
    return ForwarderStatus(
        name=state.name,
        url=state.spec.url,
        condition=condition,
        cause=state.cause if blocked else None,
        reason=state.reason if blocked else "",
        suspended_for=state.blocked_until - now if condition is Condition.SUSPENDED else 0.0,
        failures=state.failures,
        mean_response=times.mean,
        samples=times.samples,
        last_interval=times.last_interval,
        since_last_answer=None if times.last_answer is None else now - times.last_answer,
    )
