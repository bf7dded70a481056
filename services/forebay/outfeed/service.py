"""The outfeed service: what the runtime hosts, put together from a configuration."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc
import structlog
from aiohttp.typedefs import Handler
from prometheus_client.metrics_core import Metric

from forebay.api.v1alpha1 import AccessRule, Outfeed, OutfeedSpec
from forebay.outfeed.configuration import Identity, Selection, Selector, Surroundings
from forebay.outfeed.incoming.article import ArticleLimits
from forebay.outfeed.incoming.feeder import ListenerSettings
from forebay.outfeed.incoming.listener import Listener
from forebay.outfeed.masterfeed import Masterfeed
from forebay.outfeed.pages.statuspage import PATH, StatusPage
from forebay.outfeed.peering.peerstatus import backlog_sample
from forebay.outfeed.peers import Peers
from forebay.outfeed.servicemetrics import service_metrics
from forebay.outfeed.servicer import OutfeedServicer
from forebay.outfeed.storeroom import UNAUDITED, Storeroom
from forebay.pb.outfeed.v1 import outfeed_pb2
from forebay.pb.outfeed.v1.outfeed_pb2_grpc import add_OutfeedServiceServicer_to_server
from forebay.runtime.clock import Clock, SystemClock
from forebay.runtime.datafolder import DataFolder
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import FieldViolation
from forebay.runtime.revisions import ResourceResult
from forebay.runtime.service import Degradation, Service
from forebay.runtime.tasks import Supervisor
from forebay.spill import Spill, SpillSettingsError
from forebay.spill.resource import settings_of

log = structlog.stdlib.get_logger(__name__)

SERVICE = outfeed_pb2.DESCRIPTOR.services_by_name["OutfeedService"].full_name
POLL_SECONDS = 1.0
TIDY_POLLS = 10
SAMPLE_POLLS = 60
GRACE = 5.0
"""Seconds that articles in flight have to be answered when the service stops."""


@dataclass(frozen=True)
class Rooms:
    """Everything that exists once the service is configured."""

    storeroom: Storeroom
    masterfeed: Masterfeed
    spill: Spill
    peers: Peers


class OutfeedService(Service):
    """One Outfeed of a configuration, with its data in a folder of its own."""

    name = "outfeed"
    watched = (f"{SERVICE}/ListPeers",)

    def __init__(
        self, identity: Identity, folder: Path, surroundings: Surroundings, clock: Clock | None = None
    ) -> None:
        """`identity` is the namespace and name of the Outfeed."""
        self._identity = identity
        self.folder = folder
        """Where its data is."""
        self._surroundings = surroundings
        self._selector = Selector(identity, surroundings)
        self._clock = clock or SystemClock()
        self._data = DataFolder(folder)
        self._servicer = OutfeedServicer(self._clock)
        self._tasks: Supervisor
        self._rooms: Rooms | None = None
        self._listener: Listener | None = None
        self._outfeed: Outfeed | None = None
        self._url = ""

    @property
    def nntp_port(self) -> int | None:
        """Where NNTP is served; None when it is not."""
        return self._listener.port if self._listener else None

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """OutfeedService."""
        add_OutfeedServiceServicer_to_server(self._servicer, server)
        return [SERVICE]

    async def start(self, tasks: Supervisor) -> None:
        """Lock the folder. Raises `SettingsError` when another process uses it."""
        self._tasks = tasks
        await self._data.take()

    async def apply(self, document: ConfigDocument) -> Sequence[ResourceResult]:
        """Make a configuration the one in force.

        While it runs, what has a fault stays as it was: the Outfeed, its Spill, a peer; all else is applied.
        """
        selection = self._selector.select(document)
        outfeed = selection.outfeed or self._outfeed
        if outfeed is None or not (selection.url or self._rooms):
            log.error("the configuration has no sound Outfeed of ours with its Spill", outfeed="/".join(self._identity))
            return selection.not_running()
        if not selection.present:
            log.error(
                "the configuration does not have our Outfeed, the last one stays", outfeed="/".join(self._identity)
            )
            return selection.results
        rooms = self._rooms or await self._open(selection, outfeed)
        violations = await self._set(rooms, outfeed, selection)
        self._outfeed = outfeed
        return [result.but(*violations.get((result.kind, result.name), ())) for result in selection.results]

    async def _set(
        self, rooms: Rooms, outfeed: Outfeed, selection: Selection
    ) -> dict[tuple[str, str], list[FieldViolation]]:
        """Bring everything in line with a configuration; what could not be, by kind and name."""
        spec = outfeed.spec
        rooms.masterfeed.limits = ArticleLimits(spec.articles.max_size, spec.articles.max_header_size)
        rooms.masterfeed.reject_old = spec.history.reject_old
        found: dict[tuple[str, str], list[FieldViolation]] = {}
        if selection.url and (problem := self._turn_to(rooms, selection.url)):
            found["Spill", spec.spill_ref.name] = [FieldViolation("spec", problem)]
        for name, violation in (await rooms.peers.apply(selection.peers, selection.faulty)).items():
            found["Peerfeed", name] = [violation]
        if problem := await self._listen(rooms, spec):
            found["Outfeed", self._identity[1]] = [FieldViolation("spec.listeners.nntp", problem)]
        return found

    def _turn_to(self, rooms: Rooms, url: str) -> str:
        """Use the user and password of a URL; returns what is wrong when it names another server."""
        if url == self._url:
            return ""
        try:
            rooms.spill.authenticate(url)
        except SpillSettingsError:
            return "the URL changed: restart the service, which then queues again what the new server lacks"
        self._url = url
        return ""

    async def _open(self, selection: Selection, outfeed: Outfeed) -> Rooms:
        spec = outfeed.spec
        settings = settings_of(selection.url, selection.spill.durability if selection.spill else None, self.folder)
        storeroom = await Storeroom.open(self.folder, spec.storage.log_limit, spec.history.remember, self._clock)
        spill = Spill(settings, self.name, outfeed.metadata.uid)
        masterfeed = Masterfeed(storeroom, self._clock)
        peers = Peers(storeroom, masterfeed, spill, self._tasks, self._clock)
        self._rooms = Rooms(storeroom, masterfeed, spill, peers)
        self._url = selection.url
        self._servicer.masterfeed, self._servicer.peers = masterfeed, peers
        rooms = self._rooms
        self._tasks.spawn("outfeed clockwork", lambda: self._clockwork(rooms))
        return rooms

    async def _listen(self, rooms: Rooms, spec: OutfeedSpec) -> str:
        """Serve NNTP as the spec says; returns what is wrong."""
        wanted = spec.listeners.nntp
        before = self._outfeed.spec.listeners.nntp if self._outfeed else None
        if self._listener and wanted != before:
            await self._listener.drain("the listener moves")
            self._listener = None
        if wanted is None:
            return ""
        address = wanted.address or self._surroundings.nntp_address
        settings = ListenerSettings(address, wanted.port, spec.articles.max_size)
        if self._listener:
            self._listener.apply(settings)
            return ""
        listener = Listener(rooms.masterfeed, settings)
        try:
            await listener.start()
        except OSError as error:
            place = f"{settings.address} port {settings.port}"
            return f"cannot listen on {place}: {error.strerror}; free it, or choose another"
        self._listener = listener
        return ""

    async def _clockwork(self, rooms: Rooms) -> None:
        """What is done every second, and less often. A failed disk ends the service."""
        polls = 0
        while True:
            await self._clock.sleep(POLL_SECONDS)
            polls += 1
            if rooms.masterfeed.failure:
                raise rooms.masterfeed.failure
            await rooms.peers.poll()
            front = rooms.masterfeed.front.head
            await rooms.storeroom.flush(rooms.peers.checkpoints)
            if polls % TIDY_POLLS == 0:
                await rooms.storeroom.tidy(front, int(self._clock.wall() * 1000))
            if polls % SAMPLE_POLLS == 1:
                for peer in rooms.peers:
                    rooms.storeroom.outcomes.sample(peer.options.name, backlog_sample(peer))

    def quiesce(self) -> None:
        """Take nothing in any more."""
        self._servicer.end()
        if self._rooms:
            self._rooms.masterfeed.closed = "the service stops"

    async def drain(self) -> None:
        """Finish what is in flight, hand the rest to Redis, and close everything."""
        if rooms := self._rooms:
            rooms.masterfeed.closed = "the service stops"
            if self._listener:
                await self._listener.drain("the service stops")
            await rooms.peers.stop(GRACE)
            await self._tasks.close()
            await rooms.storeroom.flush(rooms.peers.checkpoints)
            await rooms.storeroom.close()
            await rooms.spill.close()
        await self._data.release()

    def collect(self) -> Iterable[Metric]:
        """All figures of this moment."""
        return service_metrics(self._rooms, self._listener, self._clock.wall()) if self._rooms else ()

    def pages(self) -> Mapping[str, Handler]:
        """The status page."""
        page = StatusPage(self._identity[1], lambda: self._rooms.peers if self._rooms else (), self._clock)
        return {PATH: page.answer}

    def degradations(self) -> Sequence[Degradation]:
        """What the service does without."""
        if self._rooms is None:
            return [_NOT_CONFIGURED]
        spill = self._outfeed.spec.spill_ref.name if self._outfeed else ""
        return [*spill_degradations(self._rooms, spill), *disk_degradations(self._rooms)]

    def access(self) -> Sequence[AccessRule]:
        """Who may call what."""
        return self._outfeed.spec.access if self._outfeed else ()


_NOT_CONFIGURED = Degradation("NotConfigured", "there is no valid configuration yet: see the results of the last Apply")


def spill_degradations(rooms: Rooms, name: str) -> list[Degradation]:
    """What a configured outfeed does without now for its Spill, whose name is given."""
    found = []
    troubled = {peer.options.name: peer.backlog.trouble for peer in rooms.peers if peer.backlog.trouble}
    if troubled:
        peer, trouble = next(iter(troubled.items()))
        problem = f"the backlogs of {len(troubled)} peers cannot be used ({peer}: {trouble})"
        found.append(Degradation("SpillUnavailable", f"{problem}; articles wait in the feed log", "Spill", name))
    elif not rooms.spill.available:
        problem = f"Redis cannot be used ({rooms.spill.problem})"
        found.append(Degradation("SpillUnavailable", f"{problem}; nothing waits for it now", "Spill", name))
    if UNAUDITED in rooms.storeroom.store.stats.holds:
        found.append(Degradation("DeletionHeld", "bodies are kept until all backlogs were compared with what is owed"))
    return found


def disk_degradations(rooms: Rooms) -> list[Degradation]:
    """What a configured outfeed does without now for its disk."""
    found = []
    if rooms.storeroom.feedlog.room.is_full:
        remedy = "let peers or Redis take what waits, or raise spec.storage.logLimit"
        found.append(Degradation("FeedLogFull", f"nothing is taken in: {remedy}"))
    if rooms.storeroom.disk_full:
        found.append(Degradation("DiskFull", "nothing is taken in: free space on the disk, or enlarge the volume"))
    if damaged := len(rooms.storeroom.feedlog.damage) + rooms.storeroom.store.stats.damaged:
        found.append(Degradation("Damage", f"{damaged} records on disk were damaged and set aside: see the log"))
    return found
