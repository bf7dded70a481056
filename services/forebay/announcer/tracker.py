"""The tracker: everything that exists once the service is configured, put together and brought in line with a spec."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random, SystemRandom
from typing import TYPE_CHECKING

from forebay.announcer.forwarding.dispatcher import Dispatcher
from forebay.announcer.forwarding.forwarderstate import Condition
from forebay.announcer.forwarding.overview import forwarder_statuses
from forebay.announcer.forwarding.relay import Relay
from forebay.announcer.fronts.desk import Desk
from forebay.announcer.fronts.grpcdesk import GrpcDesk
from forebay.announcer.fronts.listeners import Listeners, Places
from forebay.announcer.fronts.stats import Moment
from forebay.announcer.fronts.statspage import PATH, StatsPage
from forebay.announcer.lasting.forwarderkeeper import ForwarderKeeper
from forebay.announcer.lasting.jobkeeper import JobKeeper
from forebay.announcer.lasting.swarmkeeper import SwarmKeeper
from forebay.announcer.settings import (
    access_list,
    announce_settings,
    forwarding_settings,
    http_limits,
    swarm_limits,
    trusted_proxies,
)
from forebay.announcer.swarms.largest import Largest
from forebay.announcer.swarms.outside import News
from forebay.announcer.swarms.swarmtable import SwarmTable
from forebay.announcer.upstream.upstreams import Upstreams
from forebay.api.v1alpha1 import QueueOverflow
from forebay.runtime import Address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.outcome import Answer
    from forebay.announcer.forwarding.status import ForwarderStatus, QueueStatus
    from forebay.announcer.fronts.tally import Tally
    from forebay.api.v1alpha1 import AnnouncerSpec
    from forebay.api.v1alpha1.announcer import TrackerListener
    from forebay.runtime.clock import Clock
    from forebay.runtime.tasks import Supervisor
    from forebay.spill import Spill

ROUND = 1.0
"""Seconds from one look for old peers to the next."""
GRACE = 5.0
"""Seconds that requests in flight have when the service stops."""
SETTLING = 1.0
"""Seconds that a question about the queue waits at most for Redis to have the jobs."""


class Tracker:
    """Swarms, fronts, forwarding, and what keeps them over a restart. Made within a running event loop."""

    def __init__(self, spec: AnnouncerSpec, folder: Path, clock: Clock) -> None:
        """`folder`: where snapshots are."""
        random = SystemRandom()
        self.spec = spec
        self.paused: list[ForwarderSpec] = []
        """Forwarders that are to get nothing, by their specs."""
        # Which peers a client is told need be no secret, and asking the system costs more than all else of an announce.
        self.table = SwarmTable(swarm_limits(spec.swarms), Random().random)  # noqa: S311
        self.dispatcher = Dispatcher(forwarding_settings(spec), random, clock.monotonic())
        self.upstreams = Upstreams(clock)
        self.relay = Relay(self.dispatcher, self.upstreams.announce, self._hear, clock)
        self.desk = Desk(
            self.table, access_list(spec.torrents), announce_settings(spec.announces), self.dispatcher.announced
        )
        self.listeners = Listeners(self.desk, {PATH: StatsPage(self.moment, clock)}, clock)
        self.grpc_desk = GrpcDesk(self.desk)
        self.largest = Largest(self.table)
        self.jobs: JobKeeper | None = None
        """None where there is no Spill."""
        self.swarms = SwarmKeeper(self.table, folder, spec.swarms.snapshot_interval.total_seconds(), clock)
        self.blocked = ForwarderKeeper(self.dispatcher, folder, clock)
        self._clock = clock

    async def open(self, forwarders: Sequence[ForwarderSpec], paused: Sequence[ForwarderSpec]) -> None:
        """Bring back what was kept on disk; to be called once, before anything else."""
        await asyncio.to_thread(self.swarms.load)
        self.configure(self.spec, forwarders, paused)
        self.blocked.load()

    def start(self, tasks: Supervisor) -> None:
        """Forward announces, write snapshots, and forget old peers, until `tasks` end."""
        tasks.spawn("announcer forwarding", self.relay.run)
        tasks.spawn("announcer listeners", self.listeners.run)
        tasks.spawn("announcer snapshots", self.swarms.run)
        tasks.spawn("announcer blocked forwarders", self.blocked.run)
        tasks.spawn("announcer old peers", self._expire)

    def keep_jobs(self, spill: Spill, tasks: Supervisor) -> None:
        """Keep jobs in Redis from now on."""
        self.jobs = JobKeeper(self.dispatcher, spill, self._clock, overflow=self._spills)
        tasks.spawn("announcer jobs", self.jobs.run)

    def configure(
        self, spec: AnnouncerSpec, forwarders: Sequence[ForwarderSpec], paused: Sequence[ForwarderSpec]
    ) -> None:
        """Take all but the listeners from now on; what did not change goes on."""
        self.spec, self.paused = spec, list(paused)
        self.table.limits = swarm_limits(spec.swarms)
        self.desk.access = access_list(spec.torrents)
        settings = announce_settings(spec.announces)
        if settings != self.desk.settings:
            self.desk.settings = settings
        self.swarms.interval = spec.swarms.snapshot_interval.total_seconds()
        self.dispatcher.configure(forwarding_settings(spec), forwarders, self._clock.monotonic(), paused)
        if self.jobs:
            self.jobs.overflow = self._spills

    async def listen(self, address: str) -> dict[str, str]:
        """Listen as the spec says, on `address` where it names none; what is wrong, by the field of the listener."""
        listeners, clients = self.spec.listeners, self.spec.announces
        places = Places(_place(listeners.http, address), _place(listeners.udp, address))
        return await self.listeners.listen(places, trusted_proxies(clients), http_limits(clients))

    def forwarders(self) -> list[ForwarderStatus]:
        """All forwarders that may get announces, the disabled and suspended ones with their reasons."""
        return forwarder_statuses(self.dispatcher, self._clock.monotonic())

    def disabled(self) -> list[ForwarderStatus]:
        """Those that get nothing more."""
        return [each for each in self.forwarders() if each.condition is Condition.DISABLED]

    def queue(self) -> QueueStatus:
        """The queue, the schedule and the workers."""
        return self.relay.status()

    async def settle(self) -> None:
        """Return once the jobs there are would outlive the process, or soon when Redis is slow or away."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLING):
                await self.dispatcher.jobs.watcher.settle()

    @property
    def spilled(self) -> int:
        """Jobs that wait in Redis for room."""
        return self.jobs.spilled if self.jobs else 0

    @property
    def tallies(self) -> dict[str, Tally]:
        """What each front has done, by its protocol."""
        return {
            "http": self.listeners.site.tally,
            "udp": self.listeners.udp_desk.tally,
            "grpc": self.grpc_desk.tally,
        }

    def moment(self) -> Moment:
        """What is shown of it over HTTP."""
        return Moment(
            self.spec,
            self.queue(),
            self.spilled,
            self.forwarders(),
            self.paused,
            self.table.peers,
            len(self.table),
            self.largest.swarms(),
            self.tallies,
            self.listeners.connections,
        )

    async def close(self, tasks: Supervisor) -> None:
        """End everything, and keep what is to be there after a restart."""
        await self.listeners.stop()
        await self.relay.finish(GRACE)
        await tasks.close()
        if self.jobs:
            await self.jobs.close()
        await self.blocked.save()
        await self.swarms.save()
        await self.upstreams.close()

    @property
    def _spills(self) -> bool:
        return self.spec.forwarding.overflow is QueueOverflow.SPILL

    def _hear(self, announce: Announce, forwarder: str, answer: Answer) -> None:
        news = News(answer.peers, answer.peers6, answer.complete or 0, answer.incomplete or 0)
        self.table.hear(announce.info_hash, news, self._clock.monotonic())

    async def _expire(self) -> None:
        while True:
            await self._clock.sleep(ROUND)
            self.table.expire(self._clock.monotonic())
            self.largest.look()


def _place(listener: TrackerListener, address: str) -> Address | None:
    return Address(listener.address or address, listener.port) if listener.enabled else None
