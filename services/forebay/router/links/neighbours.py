"""All routers that there are links to, and what is known by them."""

from collections.abc import Iterable, Iterator
from typing import Protocol

import structlog

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.address import split
from forebay.router.core.skal import ALARM_DUPLICATE_THREAD, ALARM_LINK_DOWN
from forebay.router.links.introduction import check_introduction
from forebay.router.links.neighbour import Neighbour, State
from forebay.router.links.routes import RouteTable, Way, offered
from forebay.router.links.settings import LinksSettings
from forebay.router.links.window import RetrySettings
from forebay.router.registry import Entry
from forebay.router.switch import Switch
from forebay.runtime.errors import AlreadyExistsError

log = structlog.stdlib.get_logger(__name__)

Key = tuple[str, str]
"""Domain and router."""


class Evicting(Protocol):
    """Who has the threads of this router."""

    def evict(self, entry: Entry, problem: str | None) -> None:
        """A thread of ours has to give its name up; without a problem it has only moved."""
        ...


class Neighbours:
    """Learns from links, and has the switch use it. No I/O."""

    def __init__(self, switch: Switch, settings: LinksSettings, evicting: Evicting, incarnation: int) -> None:
        """`incarnation` is a number that this router chose when it began."""
        self.domain = switch.settings.domain
        self.settings = settings
        self.incarnation = incarnation
        self._switch = switch
        self._evicting = evicting
        self._known: dict[Key, Neighbour] = {}
        self._table: RouteTable[Neighbour] = RouteTable(self.domain)
        self._best: dict[str, Way[Neighbour]] = {}
        self._learning = False
        self._beaten = switch.clock.monotonic()
        switch.alarms.watch(self._alarm_changed)

    def __iter__(self) -> Iterator[Neighbour]:
        return iter(list(self._known.values()))

    def find(self, domain: str, router: str) -> Neighbour | None:
        """The router of a domain and name, unless it is not known, or was given up."""
        return self._known.get((domain, router))

    def hello(self, link: int, cost: int) -> pb.LinkHello:
        """How this router introduces itself."""
        settings = self._switch.settings
        return pb.LinkHello(
            router=settings.router, domain=self.domain, incarnation=self.incarnation, link=link, cost=cost
        )

    # Streams.

    def open(
        self, hello: pb.LinkHello, principals: Iterable[str] | None, retry: RetrySettings | None = None
    ) -> Neighbour:
        """There is a stream to a router. principals: names in its certificate, where it has called; None: we did.

        retry: how losses are made up for, where that is not as on all links. Raises `InvalidArgumentError`,
        `PermissionDeniedError`, or `AlreadyExistsError` where a later stream is in use.
        """
        self.check(hello, principals)
        key = (hello.domain, hello.router)
        neighbour = self._known.get(key)
        if neighbour and neighbour.incarnation != hello.incarnation:
            self._give_up(neighbour)
            neighbour = None
        if neighbour is None:
            outlet = self._switch.outlet(f"{hello.router}@{hello.domain}")
            neighbour = self._known[key] = Neighbour(self, hello, outlet, retry or self.settings.retry)
        elif retry:
            neighbour.window.retry = retry
        neighbour.wanted = neighbour.wanted or principals is None
        if neighbour.state is State.UP:
            if hello.link <= neighbour.link:
                raise AlreadyExistsError(f"a later link to {hello.router}@{hello.domain} is in use")
            neighbour.end()
        self._begin(neighbour, hello)
        return neighbour

    def check(self, hello: pb.LinkHello, principals: Iterable[str] | None) -> None:
        """Whether a router may link, as `open` has it, which see."""
        check_introduction(hello, self.hello(0, 0), principals, self.settings)

    def _begin(self, neighbour: Neighbour, hello: pb.LinkHello) -> None:
        switch = self._switch
        neighbour.cost = hello.cost
        neighbour.begin(hello.link, switch.clock.monotonic())
        switch.links.add(neighbour.outlet)
        if neighbour.inside:
            switch.peers.add(neighbour.outlet)
            self._tell_all(neighbour)
            self._table.inside(neighbour, ())
        else:
            self._table.outside(neighbour, neighbour.domain, max(1, neighbour.cost), ())
        switch.alarms.settle(ALARM_LINK_DOWN, f"{neighbour.router}@{neighbour.domain}")
        self._choose(neighbour)

    def _tell_all(self, neighbour: Neighbour) -> None:
        """What a router of our domain has to know of our threads."""
        switch = self._switch
        switch.observers.add(neighbour)
        ours = [entry for entry in switch.registry.entries.values() if entry.outlet in switch.outlets]
        neighbour.tell_threads(ours, switch.groups.here())
        for alarm in switch.alarms.raised():
            neighbour.tell_alarm(alarm)

    def lost(self, neighbour: Neighbour, link: int) -> None:
        """A stream has ended. Unless there is a later one, the router may be gone."""
        if neighbour.link != link or neighbour.state is not State.UP:
            return
        neighbour.state = State.SUSPECT
        neighbour.lost_at = self._switch.clock.monotonic()
        self._switch.observers.discard(neighbour)
        self._choose()

    def dismiss(self, neighbour: Neighbour) -> None:
        """No link of ours wants a router any more: it is given up, unless it is linked all the same: it has called.

        That it is down, or will be, alarms nobody.
        """
        known = self.find(neighbour.domain, neighbour.router)
        if known and known.state is State.UP:
            known.wanted = False
            return
        if known:
            self._give_up(known)
        self._switch.alarms.settle(ALARM_LINK_DOWN, f"{neighbour.router}@{neighbour.domain}")

    def _give_up(self, neighbour: Neighbour) -> None:
        """A router is gone: what was for it goes another way, or is dropped."""
        switch = self._switch
        neighbour.state = State.DOWN
        neighbour.end()
        self._known.pop((neighbour.domain, neighbour.router), None)
        switch.observers.discard(neighbour)
        switch.links.discard(neighbour.outlet)
        switch.peers.discard(neighbour.outlet)
        switch.groups.remove_all(neighbour.outlet)
        for entry in switch.registry.at(neighbour.outlet):
            switch.registry.remove(entry.name, neighbour.outlet)
        self._table.remove(neighbour)
        self._choose()
        for freight in neighbour.left():
            for parcel in freight.parcels:
                parcel.ttl += 1  # this router is passed once, whatever it tries
            switch.parcels(freight.parcels, None)
            switch.receipts(freight.receipts)
        switch.release(neighbour.outlet.close())

    # What routers tell.

    def learn_threads(self, neighbour: Neighbour, changes: pb.ThreadChanges) -> None:
        """Threads and groups of another router of our domain."""
        switch, outlet = self._switch, neighbour.outlet
        if changes.complete:
            named = {entry.name for entry in changes.added}
            gone = [entry.name for entry in switch.registry.at(outlet) if entry.name not in named]
            switch.groups.remove_all(outlet)
        else:
            gone = list(changes.removed)
        for name in gone:
            switch.registry.remove(name, outlet)
        for added in changes.added:
            self._learn_thread(neighbour, added)
        for group in changes.groups_added:
            switch.groups.add(group, outlet)
        for group in changes.groups_removed:
            switch.groups.remove(group, outlet)

    def _learn_thread(self, neighbour: Neighbour, added: pb.ThreadEntry) -> None:
        switch = self._switch
        entry = Entry(added.name, added.incarnation, neighbour.outlet, added.process, neighbour.router, added.since_ms)
        known = switch.registry.entries.get(added.name)
        if known and known.outlet in switch.outlets and not self._yields(known, entry):
            return
        switch.learn_thread(entry)

    def _yields(self, ours: Entry, theirs: Entry) -> bool:
        """Whether a thread of ours gives its name up to one of another router: the older stays."""
        if ours.incarnation == theirs.incarnation:
            self._evicting.evict(ours, None)
            return True
        if (theirs.since_ms, theirs.router) > (ours.since_ms, ours.router):
            return False
        problem = f"an older thread {ours.name} runs in process {theirs.process} at router {theirs.router}"
        address = f"{ours.name}@{self.domain}"
        self._switch.alarms.raise_(ALARM_DUPLICATE_THREAD, address, pb.SEVERITY_WARNING, problem)
        self._evicting.evict(ours, f"{problem}: choose another name")
        return True

    def learn_routes(self, neighbour: Neighbour, routes: Iterable[pb.Route]) -> None:
        """Ways that another router offers."""
        if neighbour.inside:
            self._table.inside(neighbour, routes)
        else:
            self._table.outside(neighbour, neighbour.domain, max(1, neighbour.cost), routes)
        self._choose()

    def _choose(self, newcomer: Neighbour | None = None) -> None:
        """Take the best ways, and tell all others when they have changed; a newcomer in any case."""
        best = self._table.best(each for each in self._known.values() if each.state is State.UP)
        changed = best != self._best
        self._best = best
        self._switch.routes = {domain: way.link.outlet for domain, way in best.items()}
        for neighbour in self._known.values():
            if neighbour.state is State.UP and (changed or neighbour is newcomer):
                neighbour.tell_routes(offered(best, neighbour.domain, inside=neighbour.inside))

    def learn_alarms(self, alarms: Iterable[pb.Alarm]) -> None:
        """Alarms of another router of our domain. They are told to no third: all routers of a domain are linked."""
        self._learning = True
        try:
            for alarm in alarms:
                self._switch.alarms.change(alarm)
        finally:
            self._learning = False

    def _alarm_changed(self, alarm: pb.Alarm) -> None:
        if not self._learning:
            for neighbour in self._known.values():
                if neighbour.inside and neighbour.state is State.UP:
                    neighbour.tell_alarm(alarm)

    def learn_freight(self, neighbour: Neighbour, freight: pb.Freight) -> None:
        """Messages and what belongs to them."""
        switch, outlet = self._switch, neighbour.outlet
        parcels = freight.parcels
        if not neighbour.inside:
            # Nobody speaks for our own threads but their processes.
            foreign = [parcel for parcel in parcels if split(parcel.sender)[1] != self.domain]
            switch.parcels(foreign, outlet)
        else:
            switch.parcels(parcels, outlet)
        switch.signals(freight.signals)
        switch.receipts(freight.receipts)
        for obituary in freight.obituaries:
            switch.obituary(obituary, outlet)

    # Time.

    def tick(self) -> None:
        """Send again what was lost, and give up those that are gone. To be called several times a second."""
        now = self._switch.clock.monotonic()
        for neighbour in self:
            retry = neighbour.window.retry
            if neighbour.state is State.SUSPECT and now - neighbour.lost_at > retry.attempts * retry.interval:
                self._mourn(neighbour, "there is no link to it any more")
            elif neighbour.state is State.UP:
                neighbour.tick(now)
                if neighbour.window.exhausted:
                    self._mourn(neighbour, f"it has not acknowledged what was sent {retry.attempts} times")

    def _mourn(self, neighbour: Neighbour, problem: str) -> None:
        if neighbour.wanted:
            address = f"{neighbour.router}@{neighbour.domain}"
            self._switch.alarms.raise_(ALARM_LINK_DOWN, address, pb.SEVERITY_ERROR, f"router {address}: {problem}")
        self._give_up(neighbour)

    def beat(self) -> None:
        """Once every heartbeat: give signs of life, and look for streams that give none."""
        now, heartbeat = self._switch.clock.monotonic(), self._switch.settings.heartbeat
        late = max(0.0, now - self._beaten - heartbeat)
        self._beaten = now
        for neighbour in self:
            if neighbour.state is State.UP:
                neighbour.heard += late
                if now - neighbour.heard > self._switch.settings.missed * heartbeat:
                    neighbour.end()
                else:
                    neighbour.beat()

    def routes(self) -> list[pb.Route]:
        """The ways in use."""
        return [pb.Route(domain=domain, path=way.path, cost=way.cost) for domain, way in sorted(self._best.items())]
