"""One router as it works: what it knows, its links, and its clocks; whoever has its settings changes them here."""

import asyncio
import secrets
from collections.abc import Sequence

import structlog

from forebay.router.links.linking import accept_udp
from forebay.router.links.linkings import Linkings
from forebay.router.links.neighbours import Neighbours
from forebay.router.links.settings import LinksSettings
from forebay.router.links.udp import Session, UdpEndpoint
from forebay.router.overflow.reservoir import Reservoir
from forebay.router.processes import Processes
from forebay.router.settings import RouterSettings
from forebay.router.switch import Switch
from forebay.runtime.clock import Clock
from forebay.runtime.tasks import Supervisor
from forebay.spill import Spill

TICK_SECONDS = 0.1
"""How often what was held in vain is let go of."""

log = structlog.stdlib.get_logger(__name__)


class RouterNode:
    """Made within a running event loop; it works from `start` to `close`."""

    def __init__(self, settings: RouterSettings, links: LinksSettings, clock: Clock, tasks: Supervisor) -> None:
        self._clock = clock
        self._tasks = tasks
        self.switch = Switch(settings, clock)
        """What it knows."""
        self.processes = Processes(self.switch)
        self.neighbours = Neighbours(self.switch, links, self.processes, secrets.randbits(63))
        """The routers that it knows."""
        self.linkings = Linkings(self.neighbours, clock, tasks)
        """The links that it makes."""
        self.reservoir: Reservoir | None = None
        """What waits in the Spill; None: it has none."""
        self.udp: UdpEndpoint | None = None
        """What links over UDP go out by; None: there are none."""
        self._udp_task: asyncio.Task[None] | None = None
        self.udp_port = 0
        """Where it listens, if it does."""
        self._spilling: asyncio.Task[None] | None = None
        self._listening: tuple[str, bytes] = ("", b"")

    async def start(self) -> str:
        """Begin to route; for a while messages to threads that are not known are held. See `configure`."""
        self.switch.limbo.open()
        self._tasks.spawn("heartbeats", self._beat)
        self._tasks.spawn("ticks", self._tick)
        self._tasks.spawn("looks at peers", self.linkings.look, self.neighbours.settings.backoff)
        return await self.configure(self.switch.settings, self.neighbours.settings)

    async def configure(self, settings: RouterSettings, links: LinksSettings) -> str:
        """Be as settings say from now on, but for name and domain. Returns what keeps it from listening over UDP.

        Raises `AddressError` or `CertificateError`, when all links are as they were.
        """
        self.switch.configure(settings)
        self.neighbours.settings = links
        anew, problem = await self._listen(links)
        await self.linkings.configure(links.wanted(self.switch.settings.domain), self.udp, anew=anew)
        return problem

    async def _listen(self, links: LinksSettings) -> tuple[bool, str]:
        """Listen over UDP where that is wanted; whether that has changed, and what keeps it from it."""
        wanted = (links.udp_listen, links.key)
        if wanted == self._listening:
            return False, ""
        self._deafen()
        if not links.udp_listen:
            return True, ""
        endpoint = UdpEndpoint(links.key, self._clock, self._accept)
        try:
            self.udp_port = await endpoint.open(links.udp_listen)
        except OSError as error:
            log.error("cannot listen over UDP", address=links.udp_listen, problem=str(error))
            return True, f"{links.udp_listen}: {error.strerror or error}"
        self.udp, self._listening = endpoint, wanted
        self._udp_task = self._tasks.spawn("links over UDP", endpoint.run)
        return True, ""

    def _deafen(self) -> None:
        """Listen over UDP no more."""
        if self.udp:
            self.udp.close()
        if self._udp_task:
            self._udp_task.cancel()
        self.udp, self._listening = None, ("", b"")

    def _accept(self, session: Session) -> None:
        self._tasks.spawn("link over UDP", lambda: accept_udp(session, self.neighbours, self._clock))

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(self.switch.settings.heartbeat)
            self.processes.tick()
            self.neighbours.beat()

    async def _tick(self) -> None:
        while True:
            await self._clock.sleep(TICK_SECONDS)
            self.switch.tick()
            self.neighbours.tick()

    def problems(self) -> Sequence[tuple[str, str]]:
        """Links that were tried in vain, by name, with what keeps them from being up."""
        return [(each.settings.name, each.problem) for each in self.linkings if each.failed]

    def quiesce(self) -> None:
        """Processes attach to other routers, which are not told that the threads have ended."""
        self.switch.observers.clear()

    def spill(self, spill: Spill, router: str) -> None:
        """Have what there is no memory for wait in a Spill from now on."""
        self.reservoir = Reservoir(spill, router, self._clock)
        self.switch.overflows = self.reservoir.give
        self._spilling = self._tasks.spawn("spill", self.reservoir.run)
        self._tasks.spawn("tidying of the spill", self.reservoir.tidy)

    async def close(self) -> None:
        """End the links; processes keep what has no receipt."""
        self._deafen()
        await self.linkings.close()
        if self.reservoir and self._spilling:
            self._spilling.cancel()
            await asyncio.wait([self._spilling])
            await self.reservoir.close()
