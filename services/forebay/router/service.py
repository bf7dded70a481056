"""The router service: what the runtime hosts, put together from a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from forebay.router.configuration import Surroundings, select
from forebay.router.links.settings import LinksSettings
from forebay.router.node import RouterNode
from forebay.router.servicemetrics import service_metrics
from forebay.router.servicer import SERVICE, RouterServicer, add_to_server
from forebay.router.specs import domain_rules, retry_settings, router_settings
from forebay.runtime.address import Address
from forebay.runtime.clock import SystemClock
from forebay.runtime.datafolder import DataFolder
from forebay.runtime.errors import CertificateError, FieldViolation
from forebay.runtime.service import Degradation, Service
from forebay.spill import Spill, SpillSettingsError
from forebay.spill.resource import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import grpc
    from prometheus_client.metrics_core import Metric

    from forebay.api.v1alpha1 import AccessRule, Router
    from forebay.router.configuration import Identity, Selection
    from forebay.runtime.clock import Clock
    from forebay.runtime.document import ConfigDocument
    from forebay.runtime.revisions import ResourceResult
    from forebay.runtime.tasks import Supervisor

Violations = dict[tuple[str, str], list[FieldViolation]]
"""What could not be brought about, by kind and name."""

log = structlog.stdlib.get_logger(__name__)

_NOT_CONFIGURED = Degradation("NotConfigured", "there is no valid configuration yet: see the results of the last Apply")


class RouterService(Service):
    """One router of a configuration's Router."""

    name = "router"
    watched = (f"{SERVICE}/GetRouter", f"{SERVICE}/ListAlarms")

    def __init__(
        self, identity: Identity, folder: Path, surroundings: Surroundings, clock: Clock | None = None
    ) -> None:
        """`identity` is the namespace and name of the Router."""
        self._identity = identity
        self.folder = folder
        """Where its lock is, and the name under which it comes back to its Spill."""
        self._surroundings = surroundings
        self._clock = clock or SystemClock()
        self._data = DataFolder(folder)
        self._servicer = RouterServicer()
        self._tasks: Supervisor
        self._router: Router | None = None
        self._links: LinksSettings = LinksSettings()
        self._spill: Spill | None = None
        self._url = ""
        self.node: RouterNode | None = None
        """None until it is configured."""

    @property
    def title(self) -> str:
        """Name of this router within its domain."""
        return self._surroundings.name or self._identity[1]

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """RouterService."""
        add_to_server(self._servicer, server)
        return [SERVICE]

    async def start(self, tasks: Supervisor) -> None:
        """Lock the folder. Raises `SettingsError` when another process uses it."""
        self._tasks = tasks
        await self._data.take()

    async def apply(self, document: ConfigDocument) -> Sequence[ResourceResult]:
        """Make a configuration the one in force; what has a fault stays as it was, the Router or a link."""
        selection = select(document, self._identity, self._surroundings)
        router = selection.router or self._router
        if router is None:
            log.error("the configuration has no sound Router of ours", router="/".join(self._identity))
            return selection.not_running()
        if not selection.present:
            log.error("the configuration does not have our Router, the last one stays", router="/".join(self._identity))
            return selection.results
        violations = await self._set(router, selection)
        self._router = router
        return [result.but(*violations.get((result.kind, result.name), ())) for result in selection.results]

    async def _set(self, router: Router, selection: Selection) -> Violations:
        """Bring everything in line with a configuration."""
        settings = router_settings(router.spec, self.title)
        links = self._links_settings(router, selection)
        violations: Violations = {}
        ours = violations.setdefault(("Router", self._identity[1]), [])
        node, problem = self.node or RouterNode(settings, links, self._clock, self._tasks), ""
        try:
            if self.node is None:
                self.node = self._servicer.node = node
                problem = await node.start()
            else:
                problem = await node.configure(settings, links)
                ours += _unchanged(router, node)
        except CertificateError as error:
            ours.append(FieldViolation("spec.tls", f"links cannot be made: {error}"))
        self._links = links
        if problem:
            ours.append(FieldViolation("spec.listeners.udp", f"{problem}: give another port, or end who has it"))
        if problem := self._turn_to(node, router, selection):
            violations["Spill", router.spec.spill_ref.name if router.spec.spill_ref else ""] = [
                FieldViolation("spec", problem)
            ]
        return violations

    def _links_settings(self, router: Router, selection: Selection) -> LinksSettings:
        """All links; those whose resources have faults as they were."""
        spec, around = router.spec, self._surroundings
        kept = [link for link in self._links.links if link.name in selection.faulty]
        # Without a new key, which may be missing for the moment, the last one goes on.
        key = selection.key or (self._links.key if spec.listeners.udp else b"")
        listen = ""
        if spec.listeners.udp and key:
            listen = str(Address(spec.listeners.udp.address or around.address, spec.listeners.udp.port))
        return LinksSettings(
            peers=tuple(dict.fromkeys([*around.others(router), *spec.peers])),
            links=(*selection.links, *kept),
            tls=around.tls,
            udp_listen=listen,
            key=key,
            access=domain_rules(spec),
            retry=retry_settings(spec.retry),
            server_name=around.server_name,
        )

    def _turn_to(self, node: RouterNode, router: Router, selection: Selection) -> str:
        """Spill where the Spill says; what is wrong when it names another server than before."""
        if selection.url in ("", self._url):
            return ""
        if self._spill is None:
            self._spill = Spill(
                settings_of(selection.url, selection.durability, self.folder), self.name, router.metadata.uid
            )
            node.spill(self._spill, self.title)
        else:
            try:
                self._spill.authenticate(selection.url)
            except SpillSettingsError:
                return "the URL changed: restart the service, which then spills there"
        self._url = selection.url
        return ""

    def quiesce(self) -> None:
        """Let streams end; processes attach to other routers."""
        if self.node:
            self.node.quiesce()
        self._servicer.end()

    async def drain(self) -> None:
        """End the links; processes keep what has no receipt."""
        if self.node:
            await self.node.close()
        await self._data.release()

    def collect(self) -> Iterable[Metric]:
        """All figures of this moment."""
        return service_metrics(self.node) if self.node else ()

    def degradations(self) -> Sequence[Degradation]:
        """What the service does without."""
        if self.node is None or self._router is None:
            return [_NOT_CONFIGURED]
        return degradations(self.node, self._router)

    def access(self) -> Sequence[AccessRule]:
        """Who may call what."""
        return self._router.spec.access if self._router else ()


def _unchanged(router: Router, node: RouterNode) -> Iterable[FieldViolation]:
    """What only a restart changes."""
    running = node.switch.settings.domain
    if router.spec.domain != running:
        yield FieldViolation("spec.domain", f"is {running} until the service is started again: restart it")


def degradations(node: RouterNode, router: Router) -> list[Degradation]:
    """What a configured router does without now."""
    found = [_unlinked(name, problem) for name, problem in node.problems()]
    spill = router.spec.spill_ref
    if spill and node.reservoir is None:
        problem = "where its Redis is cannot be told: see what is wrong with it; senders keep what there is no room for"
        found.append(Degradation("SpillUnavailable", problem, "Spill", spill.name))
    elif spill and node.reservoir and (trouble := node.reservoir.problem):
        problem = f"messages cannot be spilled ({trouble}); senders keep what there is no room for"
        found.append(Degradation("SpillUnavailable", problem, "Spill", spill.name))
    return found


def _unlinked(name: str, problem: str) -> Degradation:
    if name.startswith("peer "):
        return Degradation("PeerUnlinked", f"{name.removeprefix('peer ')} of our domain is not linked: {problem}")
    return Degradation("LinkDown", f"the link is tried again and again: {problem}", "RouterLink", name)
