"""The conduit service: what the runtime hosts, put together from a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from forebay.conduit.configuration import Surroundings, select
from forebay.conduit.core.errors import ConduitError
from forebay.conduit.node import ServiceNode
from forebay.conduit.servicemetrics import service_metrics
from forebay.conduit.servicer import SERVICE, ConduitServicer
from forebay.conduit.specs import client_settings, lasting
from forebay.pb.conduit.v1.conduit_pb2_grpc import add_ConduitServiceServicer_to_server
from forebay.runtime.clock import SystemClock
from forebay.runtime.datafolder import DataFolder
from forebay.runtime.errors import FieldViolation
from forebay.runtime.service import Degradation, Service
from forebay.spill import Spill, SpillSettingsError
from forebay.spill.resource import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import grpc
    from prometheus_client.metrics_core import Metric

    from forebay.api.v1alpha1 import AccessRule, ConduitNode
    from forebay.conduit.configuration import Identity, NodeParts, Selection
    from forebay.runtime.clock import Clock
    from forebay.runtime.document import ConfigDocument
    from forebay.runtime.revisions import ResourceResult
    from forebay.runtime.tasks import Supervisor

Violations = dict[tuple[str, str], list[FieldViolation]]
"""What could not be brought about, by kind and name."""

log = structlog.stdlib.get_logger(__name__)

_NOT_CONFIGURED = Degradation("NotConfigured", "there is no valid configuration yet: see the results of the last Apply")


class ConduitNodeService(Service):
    """One node of a configuration's ConduitNode."""

    name = "conduitnode"
    watched = (f"{SERVICE}/GetNode",)

    def __init__(
        self, identity: Identity, folder: Path, surroundings: Surroundings, clock: Clock | None = None
    ) -> None:
        """`identity` is the namespace and name of the ConduitNode."""
        self._identity = identity
        self.folder = folder
        """Where its lock is, and the name under which it comes back to its Spill."""
        self._surroundings = surroundings
        self._clock = clock or SystemClock()
        self._data = DataFolder(folder)
        self._servicer = ConduitServicer()
        self._tasks: Supervisor
        self._resource: ConduitNode | None = None
        self._parts: NodeParts | None = None
        self._began: dict[str, object] = {}
        """What of its spec holds for as long as it runs, by field."""
        self._url = ""
        self.node: ServiceNode | None = None
        """None until it is configured."""

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """ConduitService."""
        add_ConduitServiceServicer_to_server(self._servicer, server)
        return [SERVICE]

    async def start(self, tasks: Supervisor) -> None:
        """Lock the folder. Raises `SettingsError` when another process uses it."""
        self._tasks = tasks
        await self._data.take()

    async def apply(self, document: ConfigDocument) -> Sequence[ResourceResult]:
        """Make a configuration the one in force; a ConduitNode with a fault stays as it was."""
        selection = select(document, self._identity, self._surroundings)
        if not selection.present:
            log.error("the configuration does not have our ConduitNode", conduitnode="/".join(self._identity))
            return selection.results
        # Without a key, which may be missing for the moment, the last ones go on.
        parts, resource = selection.parts or self._parts, selection.node or self._resource
        if parts is None or resource is None:
            log.error("the configuration has no sound ConduitNode of ours", conduitnode="/".join(self._identity))
            return selection.results
        violations = await self._set(resource, parts, selection)
        return [result.but(*violations.get((result.kind, result.name), ())) for result in selection.results]

    async def _set(self, resource: ConduitNode, parts: NodeParts, selection: Selection) -> Violations:
        """Bring everything in line with a configuration."""
        violations: Violations = {}
        ours = violations.setdefault(("ConduitNode", self._identity[1]), [])
        problem = await self._begin(resource, parts) if self.node is None else None
        if self.node is None or problem:
            return violations | {("ConduitNode", self._identity[1]): [problem] if problem else []}
        self._resource, self._parts = resource, parts
        ours += self._unchanged(resource)
        try:
            await self.node.configure(
                parts.transport, client_settings(resource.spec), parts.keys, resource.spec.resources
            )
        except ConduitError as error:
            ours.append(FieldViolation("spec", str(error)))
        if trouble := self._turn_to(self.node, resource, selection):
            spill = resource.spec.spill_ref
            violations["Spill", spill.name if spill else ""] = [FieldViolation("spec", trouble)]
        return violations

    async def _begin(self, resource: ConduitNode, parts: NodeParts) -> FieldViolation | None:
        """Open the node; what keeps it from that."""
        clients = client_settings(resource.spec)
        node = ServiceNode(parts.settings, parts.transport, clients, self._clock, self._tasks)
        try:
            await node.start()
        except OSError as error:
            log.error("cannot listen for peers", problem=str(error))
            return FieldViolation("spec.listeners", f"{error.strerror or error}: give another port, or end who has it")
        self.node = self._servicer.node = node
        self._began = lasting(resource.spec)
        return None

    def _unchanged(self, resource: ConduitNode) -> Iterable[FieldViolation]:
        """What only a restart changes."""
        for name, value in lasting(resource.spec).items():
            if value != self._began[name]:
                yield FieldViolation(name, "stays as it was until the service is started again: restart it")

    def _turn_to(self, node: ServiceNode, resource: ConduitNode, selection: Selection) -> str:
        """Spill where the Spill says; what is wrong when it names another server than before."""
        if selection.url in ("", self._url):
            return ""
        if node.reservoir is None:
            settings = settings_of(selection.url, selection.durability, self.folder)
            spill = Spill(settings, self.name, resource.metadata.uid)
            node.spill_to(spill, str(self._surroundings.ordinal))
        else:
            try:
                node.reservoir.authenticate(selection.url)
            except SpillSettingsError:
                return "the URL changed: restart the service, which then spills there"
        self._url = selection.url
        return ""

    def quiesce(self) -> None:
        """Let streams end; clients attach again, here or elsewhere."""
        self._servicer.end()

    async def drain(self) -> None:
        """End the sessions once peers have what was published."""
        if self.node:
            await self.node.close()
        await self._data.release()

    def collect(self) -> Iterable[Metric]:
        """All figures of this moment."""
        return service_metrics(self.node) if self.node else ()

    def degradations(self) -> Sequence[Degradation]:
        """What the service does without."""
        if self.node is None or self._resource is None:
            return [_NOT_CONFIGURED]
        return degradations(self.node, self._resource)

    def access(self) -> Sequence[AccessRule]:
        """Who may call what."""
        return self._resource.spec.access if self._resource else ()


def degradations(node: ServiceNode, resource: ConduitNode) -> list[Degradation]:
    """What a configured node does without now."""
    found = [
        Degradation("ResourceRefused", f"the resource {uri} is not declared: {reason}; give it another id, or none")
        for uri, reason in node.problems()
    ]
    spill = resource.spec.spill_ref
    if spill is None:
        return found
    trouble = "where its Redis is cannot be told: see what is wrong with it"
    if node.reservoir:
        trouble = node.reservoir.problem
    if trouble:
        problem = f"samples cannot be spilled ({trouble}); publishers that spill wait"
        found.append(Degradation("SpillUnavailable", problem, "Spill", spill.name))
    return found
