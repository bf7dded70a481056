"""All jobs: each is queued, scheduled or in flight, and pending all the while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.announcer.announce import Event
from forebay.announcer.forwarding.jobqueue import JobQueue
from forebay.announcer.forwarding.pending import Pending
from forebay.announcer.forwarding.schedule import Schedule
from forebay.announcer.forwarding.status import Counters
from forebay.announcer.forwarding.watcher import Nobody

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderstate import ForwarderState
    from forebay.announcer.forwarding.job import Job, PendingKey
    from forebay.announcer.forwarding.settings import ForwardingSettings
    from forebay.announcer.forwarding.watcher import Watcher

PARKED = 10.0
"""Seconds that a scheduled job is put off which finds the queue full."""


class Flight:
    """A job that a worker carries out."""

    __slots__ = ("follow", "forwarder", "job", "started")

    def __init__(self, job: Job, forwarder: ForwarderState, now: float) -> None:
        self.job = job
        self.forwarder = forwarder
        self.started = now
        self.follow: Announce | None = None
        """An event that its client told of meanwhile, and that has to go the same way."""

    @property
    def current(self) -> Job:
        """What would have to be sent if nothing came of the request."""
        return self.job if self.follow is None else self.job._replace(announce=self.follow)

    def superseded(self, announce: Announce) -> None:
        """The client told of an event. That it started is news only to who is just told that it stopped."""
        news = announce.event is not Event.STARTED or self.job.announce.event is Event.STOPPED
        self.follow = announce if news else None


class Jobs:
    """Moves jobs between queue, schedule and workers, so that what is pending is right at any time."""

    def __init__(self, settings: ForwardingSettings) -> None:
        self.queue = JobQueue(settings.queue_size)
        self.schedule = Schedule(settings.schedule_size)
        self.pending = Pending()
        self.counters = Counters()
        self.watcher: Watcher = Nobody()
        """Is told of all that becomes of jobs."""
        self._flights: dict[PendingKey, Flight] = {}

    def __iter__(self) -> Iterator[Job]:
        """All jobs: those in flight, queued and scheduled."""
        for flight in self._flights.values():
            yield flight.current
        yield from self.queue
        yield from self.schedule

    def resize(self, settings: ForwardingSettings) -> None:
        """Take other bounds from now on."""
        self.queue.capacity = settings.queue_size
        self.schedule.capacity = settings.schedule_size

    def enqueue(self, job: Job) -> bool:
        """Queue a new job; False when there is no room."""
        if not self.queue.put(job):
            return False
        self.pending.mark(job.pending_key)
        self.watcher.kept(job)
        return True

    def restore(self, job: Job, now: float) -> bool:
        """Take back a job of before a restart; False when another has its key, or there is no room.

        Where only the queue is full, it is put off.
        """
        if job.pending_key in self.pending:
            return False
        if job.scheduled is not None or not self.queue.put(job):
            later = job if job.scheduled is not None else job._replace(scheduled=now + PARKED)
            if self.schedule.full or not self.schedule.add(later):
                return False
        self.pending.mark(job.pending_key)
        return True

    def take(self, now: float) -> Job | None:
        """The next job that may run, out of the queue; those that came too early go back to the schedule."""
        while (job := self.queue.take()) is not None:
            if job.scheduled is None or job.scheduled <= now:
                return job
            self.reschedule(job, job.scheduled)
        return None

    def launch(self, job: Job, forwarder: ForwarderState, now: float) -> None:
        """A worker carries it out from now on."""
        self._flights[job.pending_key] = Flight(job, forwarder, now)

    def land(self, job: Job) -> Flight:
        """The worker is done with it. The job is pending until it is dropped or scheduled."""
        return self._flights.pop(job.pending_key)

    def drop(self, job: Job) -> None:
        """There is no more to do about this job, which is neither queued nor scheduled."""
        self._forget(job.pending_key)

    def reschedule(self, job: Job, at: float) -> None:
        """Let a job, which is neither queued nor scheduled, wait for this time.

        It is dropped when another about its torrent and forwarder waits already, or when too many wait.
        """
        later = job._replace(scheduled=at)
        if self.schedule.full:
            self.counters.dropped_full += 1
            self.drop(job)
        elif self.schedule.add(later):
            self.watcher.kept(later)
        else:
            self.counters.duplicates += 1
            # The other may be this client's own, restored after a restart: then the key is that one's.
            if self.schedule.get(job.pending_key) is None:
                self.drop(job)

    def enqueue_scheduled(self, job: Job, now: float) -> None:
        """Queue a job whose time has come. Where the queue is full, it is put off."""
        if not self.queue.put(job):
            self.counters.parked += 1
            self.reschedule(job, now + PARKED)

    def supersede(self, key: PendingKey, announce: Announce) -> None:
        """Send this in place of a request that still waits, or after the one that is in flight."""
        if flight := self._flights.get(key):
            flight.superseded(announce)
            self.watcher.kept(flight.current)
        elif job := self.queue.get(key):
            self._replace(self.queue, job._replace(announce=announce))
        elif job := self.schedule.get(key):
            self._replace(self.schedule, job._replace(announce=announce))

    def cancel(self, key: PendingKey) -> bool:
        """Take back a job that still waits; False when it is in flight."""
        if key in self._flights:
            return False
        where = self.queue if self.queue.get(key) else self.schedule
        where.remove(key)
        self._forget(key)
        return True

    def forget(self, forwarders: Container[str]) -> None:
        """Drop all jobs that wait for these forwarders."""
        for where in (self.queue, self.schedule):
            for job in where.remove_if(lambda job: job.forwarder in forwarders):
                self.drop(job)

    def _replace(self, where: JobQueue | Schedule, job: Job) -> None:
        where.replace(job)
        self.watcher.kept(job)

    def _forget(self, key: PendingKey) -> None:
        self.pending.unmark(key)
        self.watcher.gone(key)
