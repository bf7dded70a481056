"""Another router: what it has told us, and what is to be told to it."""

import enum
import secrets
from typing import TYPE_CHECKING

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.window import Frame, LinkWindow, RetrySettings
from forebay.router.outlet import Outlet
from forebay.router.registry import Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.router.links.neighbours import Neighbours


class State(enum.Enum):
    """Whether it can be reached."""

    UP = "up"
    SUSPECT = "suspect"
    """Its stream is gone; another may come soon. What is for it waits."""
    DOWN = "down"


class Neighbour:
    """A router that there is a link to, over as many streams as it takes. No I/O."""

    def __init__(self, neighbours: "Neighbours", hello: pb.LinkHello, outlet: Outlet, retry: RetrySettings) -> None:
        self.router = hello.router
        self.domain = hello.domain
        self.incarnation = hello.incarnation
        self.inside = hello.domain == neighbours.domain
        """It is of our domain."""
        self.outlet = outlet
        self.state = State.DOWN
        self.link = 0
        """Number of the stream in use."""
        self.cost = hello.cost
        self.heard = 0.0
        self.wanted = True
        """It has called, or a link of ours leads to it; False once none of ours does any more."""
        self.lost_at = 0.0
        """When the last stream was lost, by the monotonic clock."""
        self.end: Callable[[], None] = lambda: None
        """Ends the stream in use."""
        self.window = LinkWindow(retry, secrets.randbits(63))
        self._neighbours = neighbours
        self._again: list[Frame] = []
        self._threads = pb.ThreadChanges()
        self._routes: pb.RouteChanges | None = None
        self._alarms: list[pb.Alarm] = []
        self._told = 0
        self._beat = False
        self._wrote = True

    def __repr__(self) -> str:
        return f"<Neighbour {self.router}@{self.domain} {self.state.value}>"

    # What is told to it.

    def begin(self, link: int, now: float) -> None:
        """There is a new stream: tell everything, and send again what was on its way."""
        self.link, self.heard, self.state = link, now, State.UP
        self._again = self.window.again(now)
        self._threads = pb.ThreadChanges()
        self._alarms = []
        self._told = -1
        self.outlet.wake()

    def tell_threads(self, entries: list[Entry], groups: list[str]) -> None:
        """All threads and groups of ours."""
        self._threads = pb.ThreadChanges(added=map(as_entry, entries), complete=True, groups_added=groups)
        self.outlet.wake()

    def tell_routes(self, routes: list[pb.Route]) -> None:
        """All ways that we offer."""
        self._routes = pb.RouteChanges(routes=routes)
        self.outlet.wake()

    def tell_alarm(self, alarm: pb.Alarm) -> None:
        """An alarm has changed."""
        told = pb.Alarm()
        told.CopyFrom(alarm)
        self._alarms.append(told)
        self.outlet.wake()

    def thread_added(self, entry: Entry) -> None:
        """A thread of ours has begun."""
        self._threads.added.append(as_entry(entry))
        self.outlet.wake()

    def thread_removed(self, name: str) -> None:
        """A thread of ours has ended."""
        added = [entry for entry in self._threads.added if entry.name != name]
        if len(added) < len(self._threads.added):
            del self._threads.added[:]
            self._threads.added.extend(added)
        self._threads.removed.append(name)
        self.outlet.wake()

    def group_changed(self, group: str, *, here: bool) -> None:
        """A group has its first member with us, or none any more. The latest word counts."""
        for names in (self._threads.groups_added, self._threads.groups_removed):
            if group in names:
                names.remove(group)
        (self._threads.groups_added if here else self._threads.groups_removed).append(group)
        self.outlet.wake()

    def take(self, now: float) -> pb.LinkRequest | None:
        """The next message to it; None when there is nothing."""
        frame = self._again.pop(0) if self._again else self._frame(now)
        received = self.window.received
        if frame is None and not self._beat and received == self._told:
            return None
        told = frame.told if frame else pb.LinkRequest()
        told.received = received
        if frame:
            told.base = self.window.base
        self._told, self._beat, self._wrote = received, False, True
        return told

    def _frame(self, now: float) -> Frame | None:
        """What is new."""
        if self.window.full:
            return None
        freight = self.outlet.take()
        threads = self._threads if self.inside and self._threads.ByteSize() else None
        if not (freight or threads or self._routes or self._alarms):
            return None
        told = pb.LinkRequest(freight=freight, threads=threads, routes=self._routes, alarms=self._alarms)
        self._threads, self._routes, self._alarms = pb.ThreadChanges(), None, []
        return self.window.send(told, now)

    # What it tells.

    def handle(self, told: pb.LinkRequest | pb.LinkResponse, now: float) -> None:
        """A message of its."""
        self.heard = now
        self.window.acknowledge(told.received)
        if not told.number:
            return
        if self.window.accept(told):
            self._learn(told)
        # What has come before was not known to have: it is acknowledged once more.
        self._told = -1
        self.outlet.wake()

    def _learn(self, told: pb.LinkRequest | pb.LinkResponse) -> None:
        neighbours = self._neighbours
        if told.HasField("threads") and self.inside:
            neighbours.learn_threads(self, told.threads)
        if told.HasField("routes"):
            neighbours.learn_routes(self, told.routes.routes)
        if told.alarms and self.inside:
            neighbours.learn_alarms(told.alarms)
        if told.HasField("freight"):
            neighbours.learn_freight(self, told.freight)

    def tick(self, now: float) -> None:
        """Send again what was lost on the way."""
        if not self._again and (again := self.window.overdue(now)):
            self._again = again
            self.outlet.wake()

    def beat(self) -> None:
        """A sign of life is due, unless something was written since the last time."""
        if not self._wrote:
            self._beat = True
            self.outlet.wake()
        self._wrote = False

    def left(self) -> list[pb.Freight]:
        """What was on its way, or waited to be, when the router was given up."""
        left = self.window.give_up()
        self._again = []
        while (freight := self.outlet.take()) is not None:
            left.append(freight)
        return left


def as_entry(entry: Entry) -> pb.ThreadEntry:
    """A thread as it is told."""
    return pb.ThreadEntry(
        name=entry.name, incarnation=entry.incarnation, since_ms=entry.since_ms, process=entry.process
    )
