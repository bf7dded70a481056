"""The spill client: one for a service and its Redis; hands out spools and timetables, and keeps their leases."""

from collections.abc import Iterable

from forebay.spill import scripts
from forebay.spill.address import parse_url
from forebay.spill.desk import Desk
from forebay.spill.errors import SpillError, SpillFullError, SpillSettingsError
from forebay.spill.events import Listener
from forebay.spill.health import Health
from forebay.spill.keys import OwnerKeys, owner_of, registry_key, registry_member, slot_of
from forebay.spill.link import Reply
from forebay.spill.metrics import SpillMetrics
from forebay.spill.renewer import Renewer
from forebay.spill.router import Router, checked
from forebay.spill.scripts import Command
from forebay.spill.server import Server
from forebay.spill.session import Channel, Session
from forebay.spill.settings import SpillSettings, SpoolSettings
from forebay.spill.spool import Spool
from forebay.spill.tenure import Tenure
from forebay.spill.timetable import Timetable
from forebay.spill.topology import Topology, new_topology


class Spill:
    """Made within a running event loop: it connects in the background, and again after each loss.

    Neither that nor `spool` waits for Redis or fails without it.
    """

    def __init__(self, settings: SpillSettings, service: str, uid: str) -> None:
        """`service` and `uid`, that of the service's resource, lead all names of keys.

        Raises `SpillSettingsError` when the URL cannot be used.
        """
        self.metrics = SpillMetrics()
        self.always_durable = settings.durability == "always"
        self._settings = settings
        self._service = service
        self._uid = uid
        self._registry = registry_key(service, uid)
        self._spools: dict[str, Spool] = {}
        self._timetables: dict[str, Timetable] = {}
        self._health = Health()
        self._joined: set[Server] = set()
        self._address = parse_url(settings.url)
        self._topology: Topology = new_topology(self._address, settings, self)
        self._router = Router(self._topology, self.metrics)
        self._renewer = Renewer(self._topology, self._router, self._tenures, settings.lease_ttl / 3)

    @property
    def available(self) -> bool:
        """Whether all servers that hold keys are connected."""
        servers = self._topology.servers()
        return bool(servers) and all(server.available for server in servers)

    @property
    def full(self) -> bool:
        """Whether Redis refuses new entries."""
        return self._health.is_full

    @property
    def problem(self) -> str:
        """Why Redis cannot be used; empty while it can."""
        return "" if self.available else self._health.problem

    def authenticate(self, url: str) -> None:
        """Connect with the user and password of a URL from now on. Connections that are open stay: Redis asked them.

        Raises `SpillSettingsError` when the URL cannot be used, or names another place than that of the settings.
        """
        address = parse_url(url)
        if address.place != self._address.place:
            raise SpillSettingsError("url: names another place; only user and password may change")
        self._address = address
        self._topology.authenticate(address)

    def on_state(self, listener: Listener) -> None:
        """Tell a listener of each change from now on. It must be quick and raise nothing."""
        self._health.listen(listener)

    async def ready(self) -> None:
        """Return once Redis is available. Raises `SpillCheckError` when it is unfit; it is tried again all the same."""
        while not self.available:
            if self._health.unfit:
                raise self._health.unfit
            await self._health.change()

    def spool(self, owner: str, settings: SpoolSettings | None = None) -> Spool:
        """The spool of an owner, always the same one. `settings` replaces those it has."""
        spool = self._spools.get(owner)
        if spool is None:
            tenure = self._tenure(owner)
            desk = Desk(tenure.keys, settings or SpoolSettings(), tenure, self)
            spool = self._spools[owner] = Spool(owner, desk)
        elif settings:
            spool.settings = settings
        return spool

    def timetable(self, owner: str) -> Timetable:
        """The timetable of an owner that has no spool, always the same one."""
        if owner not in self._timetables:
            self._timetables[owner] = Timetable(owner, self._tenure(owner), self)
        return self._timetables[owner]

    async def owners(self) -> list[str]:
        """All owners that have, or may have, something in Redis.

        Raises `SpillUnavailableError` and `SpillCheckError`.
        """
        members = await self._ask_registry(("SMEMBERS", self._registry))
        return sorted(map(owner_of, members))

    async def close(self) -> None:
        """Close all connections. Leases are not given back: `Spool.release` does that."""
        await self._renewer.close()
        await self._health.close()
        await self._topology.close()

    async def register(self, owner: str) -> None:
        """Add an owner to the registry."""
        await self._ask_registry(scripts.REGISTER.call([self._registry], [registry_member(owner)]))

    async def unregister(self, owner: str) -> None:
        """Take an owner off the registry, and forget its spool."""
        await self._ask_registry(("SREM", self._registry, registry_member(owner)))
        self._spools.pop(owner, None)

    def refused(self, error: SpillFullError) -> None:
        """Redis refused an append for want of room."""
        self._health.full(error, self._topology)

    async def joined(self, server: Server, session: Session) -> None:
        """A session was made: leases of another run of Redis are void, and the service is told."""
        voided = [tenure for tenure in self._tenures() if self._is_void(tenure, server, session)]
        if voided:
            empty = not await _any_exists(session, [tenure.keys.meta for tenure in voided])
            for tenure in voided:
                tenure.void()
            self._health.restarted(server, empty=empty)
        if server in self._joined:
            self.metrics.reconnects += 1
        self._joined.add(server)
        self._health.up(server)

    def left(self, server: Server | None, error: SpillError) -> None:
        """A session ended, or could not be made."""
        self._health.down(server, error)

    def _is_void(self, tenure: Tenure, server: Server, session: Session) -> bool:
        if tenure.run_id in (None, session.run_id):
            return False
        try:
            return self._topology.server(tenure.keys.slot) is server
        except SpillError:
            return False

    def _tenures(self) -> Iterable[Tenure]:
        owned: list[Spool | Timetable] = [*self._spools.values(), *self._timetables.values()]
        return [each.tenure for each in owned]

    def _tenure(self, owner: str) -> Tenure:
        return Tenure(OwnerKeys(self._service, self._uid, owner), self._router, self._settings, self.metrics)

    async def _ask_registry(self, command: Command) -> Reply:
        (reply,) = checked(await self._router.run(slot_of(self._registry), [command]))
        return reply


async def _any_exists(session: Session, keys: list[str]) -> bool:
    replies = await session.run(Channel.WORK, [("EXISTS", key) for key in keys])
    return 1 in replies
