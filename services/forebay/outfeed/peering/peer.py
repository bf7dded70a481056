"""A peer with all that belongs to it: its feed, its lines, its backlog, and the tasks that keep them going."""

import asyncio
from contextlib import suppress

from forebay.outfeed.peering.backlog import Backlog
from forebay.outfeed.peering.custody import Custodian
from forebay.outfeed.peering.flow import Shared
from forebay.outfeed.peering.lines import Lines
from forebay.outfeed.peering.peerfeed import Peerfeed
from forebay.outfeed.peering.peeroptions import PeerOptions
from forebay.outfeed.peering.peerqueue import PeerQueue
from forebay.outfeed.peering.poison import PoisonTest
from forebay.runtime.backoff import BackoffSettings
from forebay.runtime.clock import Clock
from forebay.runtime.tasks import Supervisor
from forebay.spill import Spill, SpillError, SpillFullError

PAUSED_BY_SPEC = "spec.pause is set"
OUTSIDE_HOURS = "it is not the time of spec.hours"
PAUSED_BY_CALL = "paused by a call"
LINE_GRACE = 10.0
"""Seconds that articles in flight have to be answered when a line is closed."""
RESTART = BackoffSettings(first=0.5, longest=30.0)


class Peer:
    """One peer. `start` sets it to work; afterwards either `stop` or `forget` ends it."""

    def __init__(self, options: PeerOptions, number: int, shared: Shared, spill: Spill, clock: Clock) -> None:
        spec = options.spec
        self.options = options
        self.number = number
        queue = PeerQueue(spec.queue.size, spec.queue.spill_fraction)
        poison = PoisonTest(options.giving_up)
        self.feed = Peerfeed(options.name, options.uid, number, queue, poison, shared, options.flow)
        self.lines = self.feed.lines = Lines(options.name, self.feed, options.lines, clock)
        self.spool = spill.spool(options.uid, options.spool)
        self.backlog = self.feed.backlog = Backlog(self.feed, self.spool, options.deferral, shared.now)
        self.custodian = Custodian(self.feed, self.backlog, shared.feedlog)
        self.held_by_call = False
        self._clock = clock
        self._reason = ""
        """Why no line may be open, as far as options and calls say."""
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, tasks: Supervisor) -> None:
        """Begin to feed."""
        name = self.options.name
        self._tasks = [
            tasks.spawn(f"peer {name}: feed log", self.feed.follow, RESTART),
            tasks.spawn(f"peer {name}: backlog", self.custodian.run, RESTART),
        ]
        self.poll()

    def change(self, options: PeerOptions) -> None:
        """Use other options; lines that are open stay open unless they would be made in another way."""
        spec = options.spec
        self.options = options
        self.feed.queue.size = spec.queue.size
        self.feed.queue.spill_fraction = spec.queue.spill_fraction
        self.feed.poison.limits = options.giving_up
        self.feed.flow = options.flow
        self.spool.settings = options.spool
        self.backlog.rest = options.deferral
        self.lines.renew(options.lines, LINE_GRACE)
        self._hold()

    def come_back(self) -> None:
        """Redis can be used again, as far as is known."""
        if isinstance(self.backlog.trouble, SpillFullError):
            self.backlog.trouble = None
        self.custodian.come_back()
        self.backlog.wake()

    def pause(self) -> None:
        """Send nothing until `resume`."""
        self.held_by_call = True
        self._hold()

    def resume(self) -> None:
        """End what `pause` began."""
        self.held_by_call = False
        self._hold()

    def poll(self) -> None:
        """Once a second: look at the hours, and go on with whatever can go on."""
        if self._reason_to_hold() != self._reason:
            self._hold()
        self.feed.poll()

    def _reason_to_hold(self) -> str:
        if self.options.spec.pause:
            return PAUSED_BY_SPEC
        if self.held_by_call:
            return PAUSED_BY_CALL
        hours = self.options.hours
        return OUTSIDE_HOURS if hours and not hours.are_now(self._clock.wall()) else ""

    @property
    def held_up(self) -> tuple[str, str]:
        """The field of the Peerfeed that makes articles wait now, and what it does; empty when none does."""
        fields = {PAUSED_BY_SPEC: "pause", OUTSIDE_HOURS: "hours"}
        if reason := self._reason_to_hold():
            return fields.get(reason, ""), f"kept for later: {reason}"
        delay = self.options.flow.delay
        return ("delay", f"rests for {delay:g} s first") if delay else ("", "")

    def _hold(self) -> None:
        self._reason = self._reason_to_hold()
        if self._reason:
            self.lines.hold(self._reason, LINE_GRACE)
        elif self.lines.held:
            self.lines.release()

    async def flush(self) -> int:
        """Move what is queued in memory to the backlog, durably; returns how many articles that were.

        Without a backlog all stays where it is; at the end of the service the feed log has it.
        """
        if not self.feed.flow.keeps_backlog:
            return 0
        queue = self.feed.queue
        queue.spill_all()
        count = len(queue.spilling)
        self.backlog.wake()
        await self.backlog.settled()
        return count

    async def stop(self, grace: float) -> None:
        """Let what is in flight be answered, move the rest to the backlog, and give the spool up."""
        self.lines.hold("the service stops", grace)
        await self.lines.gone()
        # The feed log still owns what Redis does not take.
        with suppress(SpillError, TimeoutError):
            if self.backlog.writable:
                async with asyncio.timeout(grace):
                    await self.flush()
                    await self._end_tasks()
                    await self.spool.release()
        await self._end_tasks()

    async def forget(self) -> None:
        """The peer is deleted: end its lines and all work, at once."""
        self.lines.hold("the peer was deleted", 0)
        await self._end_tasks()
        # What is left is found again in the registry of owners once Redis is back.
        with suppress(SpillError):
            await self.spool.purge()

    async def _end_tasks(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
