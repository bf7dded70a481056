"""The router service: what the runtime hosts."""

import secrets
from collections.abc import Iterable, Sequence

import grpc
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from forebay.router.links.linking import Linking, accept_udp
from forebay.router.links.neighbours import Neighbours
from forebay.router.links.settings import LinkSettings, LinksSettings
from forebay.router.links.udp import Session, UdpEndpoint
from forebay.router.processes import Processes
from forebay.router.servicer import SERVICE, RouterServicer, add_to_server
from forebay.router.settings import RouterSettings
from forebay.router.switch import Switch
from forebay.runtime.clock import Clock, SystemClock
from forebay.runtime.document import ConfigDocument
from forebay.runtime.revisions import ResourceResult
from forebay.runtime.service import Service
from forebay.runtime.tasks import Supervisor

TICK_SECONDS = 0.1
"""How often what was held in vain is let go of."""


class RouterService(Service):
    """One router of a domain."""

    name = "router"
    watched = (f"{SERVICE}/GetRouter", f"{SERVICE}/ListAlarms")

    def __init__(
        self, settings: RouterSettings, links: LinksSettings | None = None, clock: Clock | None = None
    ) -> None:
        self.settings = settings
        self.links = links or LinksSettings()
        self._clock = clock or SystemClock()
        self._servicer = RouterServicer()
        self.switch = Switch(settings, self._clock)
        """What it knows."""
        self._processes = Processes(self.switch)
        self.neighbours = Neighbours(self.switch, self.links, self._processes, secrets.randbits(63))
        """The routers that it knows."""
        self._linkings: list[Linking] = []
        self._udp: UdpEndpoint | None = None
        self.udp_port = 0
        """Known once started, where there are links over UDP."""
        self._tasks: Supervisor

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """RouterService."""
        add_to_server(self._servicer, server)
        return [SERVICE]

    async def start(self, tasks: Supervisor) -> None:
        """Begin to route; for a while messages to threads that are not known are held."""
        self._tasks = tasks
        self.switch.limbo.open()
        self._servicer.serve(self.switch, self._processes, self.neighbours)
        tasks.spawn("heartbeats", self._beat)
        tasks.spawn("ticks", self._tick)
        if self.links.udp_listen:
            self._udp = UdpEndpoint(self.links.key, self._clock, self._accept_udp)
            self.udp_port = await self._udp.open(self.links.udp_listen)
            tasks.spawn("links over UDP", self._udp.run)
        peers = [LinkSettings(f"peer {address}", [address]) for address in self.links.peers]
        for link in (*peers, *self.links.links):
            linking = Linking(self.neighbours, link, self._clock, self._udp)
            self._linkings.append(linking)
            tasks.spawn(f"link {link.name}", linking.run, self.links.backoff)

    def _accept_udp(self, session: Session) -> None:
        self._tasks.spawn("link over UDP", lambda: accept_udp(session, self.neighbours, self._clock))

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(self.settings.heartbeat)
            self._processes.tick()
            self.neighbours.beat()

    async def _tick(self) -> None:
        while True:
            await self._clock.sleep(TICK_SECONDS)
            self.switch.tick()
            self.neighbours.tick()

    async def apply(self, document: ConfigDocument) -> Sequence[ResourceResult]:
        """Nothing yet: a router is as its settings say."""
        return ()

    def quiesce(self) -> None:
        """Let streams end; processes attach to other routers, which are not told that the threads have ended."""
        self.switch.observers.clear()
        self._servicer.end()

    async def drain(self) -> None:
        """End the links; processes keep what has no receipt."""
        if self._udp:
            self._udp.close()
        for linking in self._linkings:
            await linking.close()

    def collect(self) -> Iterable[Metric]:
        """All figures of this moment."""
        switch = self.switch
        yield GaugeMetricFamily("forebay_router_processes", "Processes attached.", value=len(self._processes))
        yield GaugeMetricFamily("forebay_router_threads", "Threads of the domain.", value=len(switch.registry))
        yield GaugeMetricFamily("forebay_router_alarms", "Alarms that are on.", value=len(switch.alarms.raised()))
        waiting = sum(outlet.octets for outlet in switch.outlets | switch.links)
        yield GaugeMetricFamily("forebay_router_waiting_bytes", "Octets that wait to be written.", value=waiting)
        yield CounterMetricFamily("forebay_router_messages", "Messages passed on.", value=switch.messages)
        dropped = CounterMetricFamily("forebay_router_dropped", "Messages dropped, by notice.", labels=["notice"])
        for notice, count in switch.dropped.items():
            dropped.add_metric([notice], count)
        yield dropped
