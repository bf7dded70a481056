"""The announcer service: what the runtime hosts, put together from a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from forebay.announcer.configuration import Identity, Selection, Surroundings, select
from forebay.announcer.servicemetrics import service_metrics
from forebay.announcer.servicer import SERVICE, AnnouncerServicer
from forebay.announcer.tracker import Tracker
from forebay.pb.announcer.v1.announcer_pb2_grpc import add_AnnouncerServiceServicer_to_server
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

    from forebay.api.v1alpha1 import AccessRule, Announcer
    from forebay.runtime.clock import Clock
    from forebay.runtime.document import ConfigDocument
    from forebay.runtime.revisions import ResourceResult
    from forebay.runtime.tasks import Supervisor

Violations = dict[tuple[str, str], list[FieldViolation]]
"""What could not be brought about, by kind and name."""

log = structlog.stdlib.get_logger(__name__)

_NOT_CONFIGURED = Degradation("NotConfigured", "there is no valid configuration yet: see the results of the last Apply")


class AnnouncerService(Service):
    """One Announcer of a configuration, with its data in a folder of its own."""

    name = "announcer"
    watched = (f"{SERVICE}/ListForwarders", f"{SERVICE}/GetQueue")

    def __init__(
        self, identity: Identity, folder: Path, surroundings: Surroundings, clock: Clock | None = None
    ) -> None:
        """`identity` is the namespace and name of the Announcer."""
        self._identity = identity
        self.folder = folder
        """Where its data is."""
        self._surroundings = surroundings
        self._clock = clock or SystemClock()
        self._data = DataFolder(folder)
        self._servicer = AnnouncerServicer(self._clock)
        self._tasks: Supervisor
        self._announcer: Announcer | None = None
        self._tracker: Tracker | None = None
        self._spill: Spill | None = None
        self._url = ""

    @property
    def tracker(self) -> Tracker | None:
        """None until it is configured."""
        return self._tracker

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """AnnouncerService."""
        add_AnnouncerServiceServicer_to_server(self._servicer, server)
        return [SERVICE]

    async def start(self, tasks: Supervisor) -> None:
        """Lock the folder. Raises `SettingsError` when another process uses it."""
        self._tasks = tasks
        await self._data.take()

    async def apply(self, document: ConfigDocument) -> Sequence[ResourceResult]:
        """Make a configuration the one in force; what has a fault stays as it was, the Announcer or a forwarder."""
        selection = select(document, self._identity, self._surroundings)
        announcer = selection.announcer or self._announcer
        if announcer is None:
            log.error("the configuration has no sound Announcer of ours", announcer="/".join(self._identity))
            return selection.not_running()
        if not selection.present:
            log.error(
                "the configuration does not have our Announcer, the last one stays", announcer="/".join(self._identity)
            )
            return selection.results
        violations = await self._set(announcer, selection)
        self._announcer = announcer
        return [result.but(*violations.get((result.kind, result.name), ())) for result in selection.results]

    async def _set(self, announcer: Announcer, selection: Selection) -> Violations:
        """Bring everything in line with a configuration."""
        tracker, spec = self._tracker, announcer.spec
        forwarders, paused = selection.forwarders, selection.paused
        if tracker is None:
            tracker = Tracker(spec, self.folder, self._clock)
            await tracker.open(forwarders, paused)
            tracker.start(self._tasks)
            self._tracker = self._servicer.tracker = tracker
        else:
            kept = [each.spec for each in tracker.dispatcher.forwarders.all() if each.name in selection.faulty]
            tracker.configure(spec, [*forwarders, *kept], paused)
        violations: Violations = {}
        if problem := self._turn_to(tracker, announcer, selection):
            violations["Spill", spec.spill_ref.name if spec.spill_ref else ""] = [FieldViolation("spec", problem)]
        for protocol, problem in (await tracker.listen(self._surroundings.address)).items():
            found = violations.setdefault(("Announcer", self._identity[1]), [])
            found.append(FieldViolation(f"spec.listeners.{protocol}", problem))
        return violations

    def _turn_to(self, tracker: Tracker, announcer: Announcer, selection: Selection) -> str:
        """Keep jobs where the Spill says; what is wrong when it names another server than before."""
        if selection.url in ("", self._url):
            return ""
        if self._spill is None:
            self._spill = Spill(
                settings_of(selection.url, selection.durability, self.folder), self.name, announcer.metadata.uid
            )
            tracker.keep_jobs(self._spill, self._tasks)
        else:
            try:
                self._spill.authenticate(selection.url)
            except SpillSettingsError:
                return "the URL changed: restart the service, which then keeps its jobs there"
        self._url = selection.url
        return ""

    def quiesce(self) -> None:
        """Nothing: announces are taken as long as there is somebody to answer them."""

    async def drain(self) -> None:
        """Answer no more, let requests in flight end, and keep everything."""
        if self._tracker:
            await self._tracker.close(self._tasks)
        if self._spill:
            await self._spill.close()
        await self._data.release()

    def collect(self) -> Iterable[Metric]:
        """All figures of this moment."""
        return service_metrics(self._tracker) if self._tracker else ()

    def degradations(self) -> Sequence[Degradation]:
        """What the service does without."""
        if self._tracker is None or self._announcer is None:
            return [_NOT_CONFIGURED]
        return degradations(self._tracker, self._announcer)

    def access(self) -> Sequence[AccessRule]:
        """Who may call what."""
        return self._announcer.spec.access if self._announcer else ()


def degradations(tracker: Tracker, announcer: Announcer) -> list[Degradation]:
    """What a configured announcer does without now."""
    found = [
        Degradation(
            "ForwarderDisabled",
            f"it gets no announces ({each.reason}): mend it, then enable it or change its spec",
            "Forwarder",
            each.name,
        )
        for each in tracker.disabled()
    ]
    found += [
        Degradation("NotListening", f"{problem}; it is tried again by itself")
        for problem in tracker.listeners.problems.values()
    ]
    spill = announcer.spec.spill_ref
    if spill and tracker.jobs is None:
        problem = "where its Redis is cannot be told: see what is wrong with it; a restart would forget jobs that wait"
        found.append(Degradation("SpillUnavailable", problem, "Spill", spill.name))
    elif spill and tracker.jobs and (trouble := tracker.jobs.problem):
        problem = f"jobs cannot be kept in Redis ({trouble}); a restart would forget those that wait"
        found.append(Degradation("SpillUnavailable", problem, "Spill", spill.name))
    if tracker.blocked.problem:
        found.append(Degradation("SnapshotFailed", f"{tracker.blocked.problem}; a restart would try them again"))
    if tracker.swarms.problem:
        found.append(Degradation("SnapshotFailed", f"{tracker.swarms.problem}; a restart would forget peers"))
    return found
