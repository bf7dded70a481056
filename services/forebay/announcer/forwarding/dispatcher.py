"""The dispatcher: decides which announces go on to which forwarders, when, and what follows from the answers.

It does no I/O and has no clock: `now` is monotonic seconds. Whoever drives it calls `tick` every `TICK` seconds,
`scale` every second, and lets workers `take` jobs and tell `done`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebay.announcer.announce import Event
from forebay.announcer.forwarding.eligibility import Eligibility
from forebay.announcer.forwarding.failurepolicy import Decision, Step, decide
from forebay.announcer.forwarding.forwarders import Forwarders
from forebay.announcer.forwarding.interval import due_after
from forebay.announcer.forwarding.job import Job
from forebay.announcer.forwarding.jobs import Flight, Jobs
from forebay.announcer.forwarding.outcome import Answer, Failure, Outcome
from forebay.announcer.forwarding.penalty import impose
from forebay.announcer.forwarding.ratelimit import TokenBucket
from forebay.announcer.forwarding.refusal import Refusal, Why
from forebay.announcer.forwarding.scaling import Scaling
from forebay.announcer.forwarding.throttle import quota
from forebay.announcer.forwarding.watcher import NoOverflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from random import Random

    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.forwarderstate import ForwarderState
    from forebay.announcer.forwarding.settings import ForwardingSettings
    from forebay.announcer.forwarding.watcher import Overflow

TICK = 5.0
"""Seconds from one look at the schedule to the next."""
STALE = 3 * 3600.0
"""Seconds after which a request is not sent again: its client may be long gone, or announces anew."""


class Errand(NamedTuple):
    """What a worker is given."""

    job: Job
    spec: ForwarderSpec


class Dispatcher:
    """Queue, schedule, limits and forwarders, tied together."""

    def __init__(self, settings: ForwardingSettings, random: Random, now: float) -> None:
        self.settings = settings
        self.jobs = Jobs(settings)
        self.eligibility = Eligibility()
        self.forwarders = Forwarders(self.eligibility.look_again)
        self.overflow: Overflow = NoOverflow()
        """Where jobs wait for which the queue has no room."""
        self.wake: Callable[[], None] = lambda: None
        """Is called when jobs came into the queue, for workers to look."""
        self._scaling = Scaling(settings)
        self._random = random
        self._bucket = _bucket(settings, now)

    def configure(
        self,
        settings: ForwardingSettings,
        specs: Iterable[ForwarderSpec],
        now: float,
        paused: Iterable[ForwarderSpec] = (),
    ) -> None:
        """Take these from now on. Jobs of forwarders that are gone, changed or paused are dropped."""
        gone = self.forwarders.configure(specs, paused)
        if gone:
            self.jobs.forget({state.name for state in gone})
            self.eligibility.forget_slots(state.slot for state in gone)
        if settings != self.settings:
            self.settings = self._scaling.settings = settings
            self.jobs.resize(settings)
            self._bucket = _bucket(settings, now)

    def enable(self, name: str) -> bool:
        """Give announces to a forwarder again that was disabled or suspended; False when there is no such."""
        forwarder = self.forwarders.get(name)
        if forwarder is not None:
            forwarder.enable()
        return forwarder is not None

    def announced(self, announce: Announce, knows: Callable[[Announce], bool], now: float) -> Refusal | None:
        """Pass an announce on to the forwarders that are to have it.

        `knows`: whether its client has announced the torrent before, which is asked only where it matters: a first
        announce alone may be refused, and then no forwarder gets it.
        """
        if not self.forwarders:
            return None
        if announce.event is Event.STOPPED and not self.overflow.is_empty:
            self.overflow.stopped(announce.info_hash, announce.peer_id, now)
        pending = self.jobs.pending.forwarders(announce.info_hash, announce.peer_id)
        if pending and announce.event is not Event.NONE:
            self._supersede(announce, tuple(pending))
        eligible = self._eligible(announce, pending, now)
        if not eligible:
            return None
        initial = not knows(announce)
        if initial and self._rate_limited(now):
            self.jobs.counters.rate_limited += 1
            return Refusal(Why.RATE_LIMITED, self.settings.retry_period)
        return self._enqueue(announce, eligible, initial, now)

    def _supersede(self, announce: Announce, pending: Iterable[str]) -> None:
        for name in pending:
            key = (announce.info_hash, name, announce.peer_id)
            if self._is_news(announce, name) or not self.jobs.cancel(key):
                self.jobs.supersede(key, announce)
            else:
                self.jobs.counters.cancelled += 1

    def _is_news(self, announce: Announce, name: str) -> bool:
        """False for the stop of a client that the forwarder never heard of."""
        if announce.event is not Event.STOPPED:
            return True
        forwarder = self.forwarders.get(name)
        return forwarder is not None and self.eligibility.knows(announce.info_hash, announce.peer_id, forwarder)

    def _eligible(self, announce: Announce, pending: AbstractSet[str], now: float) -> Sequence[ForwarderState]:
        """Whoever is due and has no job of this client pending.

        An event also, and a stop only, goes to those that know the client, due or not.
        """
        forwarders = self.forwarders.all()
        if announce.event in (Event.NONE, Event.STARTED):
            return self.eligibility.due(announce.info_hash, forwarders, now).without(pending)
        knowing = self.eligibility.knowing(announce.info_hash, announce.peer_id, forwarders, now)
        if announce.event is not Event.STOPPED:
            due = self.eligibility.due(announce.info_hash, forwarders, now).forwarders
            knowing += [forwarder for forwarder in due if forwarder not in knowing]
        return [forwarder for forwarder in knowing if forwarder.name not in pending]

    def _rate_limited(self, now: float) -> bool:
        return self.jobs.queue.reaches(self.settings.rate_limit_threshold) and not self._bucket.take(now)

    def _enqueue(
        self, announce: Announce, eligible: Sequence[ForwarderState], initial: bool, now: float
    ) -> Refusal | None:
        share = quota(len(eligible), self.jobs.queue, self.settings)
        self.jobs.counters.throttled += share.throttled
        fitting = min(share.forwarders, self._room)
        if self.overflow.is_open:
            number = share.forwarders
        elif initial and not fitting:
            self.jobs.counters.refused_full += 1
            return Refusal(Why.QUEUE_FULL, self.settings.retry_period)
        else:
            self.jobs.counters.dropped_full += share.forwarders - fitting
            number = fitting
        if not number:
            return None
        # A sample is in random order, too: it stands for shuffling all of them and taking the first.
        jobs = [Job(announce, forwarder.name, now) for forwarder in self._random.sample(eligible, number)]
        for job in jobs[:fitting]:
            self.jobs.enqueue(job)
        for job in jobs[fitting:]:
            self.overflow.put(job)
        self.wake()
        return None

    @property
    def _room(self) -> int:
        """How many new jobs may go into the queue: none while others that came first wait outside."""
        return self.jobs.queue.room if self.overflow.is_empty or not self.overflow.is_open else 0

    def bring_back(self, job: Job, now: float) -> bool:
        """Queue a job that waited outside; False when there is no room. One that nobody wants any more is dropped."""
        if not self.jobs.queue.room:
            return False
        if job.pending_key in self.jobs.pending:
            if job.announce.event is not Event.NONE:
                self._supersede(job.announce, (job.forwarder,))
        elif self._is_wanted(job, now):
            self.jobs.enqueue(job)
        return True

    def restore(self, job: Job, now: float) -> bool:
        """Take back a job of before a restart; False when it is not wanted any more, or finds no room."""
        forwarder = self.forwarders.get(job.forwarder)
        if forwarder is None or now - job.made > STALE or forwarder.disabled:
            return False
        if (job.scheduled is None and not self._is_wanted(job, now)) or not self.jobs.restore(job, now):
            return False
        if job.scheduled is not None:
            self.eligibility.put_off(job.announce.info_hash, forwarder, job.scheduled, now)
        return True

    def _is_wanted(self, job: Job, now: float) -> bool:
        """Whether its forwarder is still to have a job that has waited."""
        forwarder, announce = self.forwarders.get(job.forwarder), job.announce
        if forwarder is None or forwarder.blocked_until > now or now - job.made > STALE:
            return False
        # An event was news to the forwarder when the job was made, and it may have been forgotten since that it is.
        is_event = announce.event not in (Event.NONE, Event.STARTED)
        return is_event or self.eligibility.next_announce(announce.info_hash, forwarder) <= now

    def tick(self, now: float) -> None:
        """Queue the scheduled jobs whose time has come; what finds the queue full is put off."""
        for job in self.jobs.schedule.pop_due(now):
            if self._may_run(job, now):
                self.jobs.enqueue_scheduled(job, now)
        self.eligibility.expire(now)

    def take(self, now: float) -> Errand | None:
        """The next job for a worker; none when none is ready."""
        while (job := self.jobs.take(now)) is not None:
            forwarder = self.forwarders.get(job.forwarder)
            if forwarder is not None and self._may_run(job, now):
                self.jobs.launch(job, forwarder, now)
                return Errand(job, forwarder.spec)
        return None

    def _may_run(self, job: Job, now: float) -> bool:
        """Whether its forwarder takes it now. A retry waits until a suspension is over; other jobs are dropped."""
        forwarder = self.forwarders.get(job.forwarder)
        if forwarder is not None and forwarder.blocked_until <= now:
            return True
        if forwarder is None or forwarder.disabled or job.scheduled is None:
            self.jobs.drop(job)
        else:
            self.jobs.reschedule(job, forwarder.blocked_until)
        return False

    def done(self, job: Job, outcome: Outcome, now: float) -> None:
        """A worker has carried the job out. What became of it under a spec that was changed meanwhile is ignored."""
        flight = self.jobs.land(job)
        if self.forwarders.get(job.forwarder) is not flight.forwarder:
            self.jobs.drop(job)
        elif isinstance(outcome, Answer):
            self._answered(flight, outcome, now)
        else:
            self._failed(flight, outcome, now)

    def _answered(self, flight: Flight, answer: Answer, now: float) -> None:
        forwarder, announce = flight.forwarder, flight.job.announce
        forwarder.failures = 0
        forwarder.times.add(now - flight.started, answer.interval, now)
        if announce.event is Event.STOPPED:
            self.eligibility.stopped(announce.info_hash, announce.peer_id, forwarder, now)
        else:
            at = now + due_after(answer.interval)
            self.eligibility.told(announce.info_hash, announce.peer_id, forwarder, at, now)
        self.jobs.drop(flight.job)
        if flight.follow is not None:
            self._follow(Job(flight.follow, forwarder.name, now))

    def _follow(self, job: Job) -> None:
        if self._room:
            self.jobs.enqueue(job)
        elif self.overflow.is_open:
            self.overflow.put(job)
        else:
            self.jobs.counters.dropped_full += 1

    def _failed(self, flight: Flight, failure: Failure, now: float) -> None:
        forwarder = flight.forwarder
        settings = forwarder.spec.own.over(self.settings)
        decision = decide(failure, flight.job.attempt, settings)
        impose(decision, failure, forwarder, settings.fail_threshold, now)
        if decision.step not in (Step.DISABLE, Step.SUSPEND):
            self.eligibility.put_off(flight.job.announce.info_hash, forwarder, now + decision.seconds, now)
        if decision.step is Step.RETRY:
            self._retry(flight, failure, decision, now)
        else:
            self.jobs.drop(flight.job)

    def _retry(self, flight: Flight, failure: Failure, decision: Decision, now: float) -> None:
        """Schedule the same request again, or the event that its client told of meanwhile."""
        job = flight.job._replace(
            announce=flight.follow or flight.job.announce,
            # A repetition that the tracker asked for is no failed try.
            attempt=flight.job.attempt + (failure.wait is None),
        )
        if now - job.made > STALE:
            self.jobs.drop(job)
        elif flight.follow is not None and not self._is_news(flight.follow, job.forwarder):
            self.jobs.counters.cancelled += 1
            self.jobs.drop(job)
        else:
            self.jobs.reschedule(job, now + decision.seconds)

    def scale(self, workers: int, now: float) -> int:
        """1: start a worker; -1: tell one to leave; 0: neither. `workers` leaves out those that were told to leave."""
        return self._scaling.step(self.jobs.queue, workers, now)


def _bucket(settings: ForwardingSettings, now: float) -> TokenBucket:
    return TokenBucket(settings.rate_limit_per_second, settings.rate_limit_burst, now)
