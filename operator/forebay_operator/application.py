"""One operator process: its parts, and the order in which they start and end."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import structlog

from forebay.runtime import Address, BackoffSettings, Supervisor, SystemClock
from forebay.runtime.metrics import make_registry
from forebay.runtime.signals import Signals
from forebay_operator.errors import KubeError, LeadershipLostError
from forebay_operator.handlers import watch
from forebay_operator.health import HealthPages, Pulse
from forebay_operator.kube import Kind, KubeClient, connect
from forebay_operator.kube.kinds import RESOURCES
from forebay_operator.leadership import leadership
from forebay_operator.metrics import Metrics, QueueCollector, RunCollector
from forebay_operator.pods import PodClients
from forebay_operator.queue import WorkQueue
from forebay_operator.reconcile import Reconciler, make_world
from forebay_operator.settings import Settings
from forebay_operator.workers import Workers

RESTART = BackoffSettings(first=1.0, longest=15.0)
DEFINITIONS_SECONDS = 2.0
"""Between two looks whether the API server knows our kinds."""

log = structlog.stdlib.get_logger(__name__)


class Application:
    """An operator at work."""

    def __init__(self, settings: Settings, namespace: str, kube: KubeClient, pods: PodClients) -> None:
        """`namespace` is the operator's own."""
        self.registry = make_registry()
        self.pulses: dict[str, Pulse] = {}
        """What has to be heard of while the operator works."""
        self._settings = settings
        self._kube = kube
        queue = WorkQueue(SystemClock(), Random())  # noqa: S311 spreads tries, guards nothing
        self.registry.register(QueueCollector(queue, kube))
        self._workers = Workers(queue, Metrics(self.registry))
        world = make_world(kube, pods, settings, namespace, self._workers.put, lambda: datetime.now(UTC))
        self._reconciler = Reconciler(world)
        self.registry.register(RunCollector(self._reconciler.compactions.counts))

    async def run(self) -> None:
        """Work until cancelled. Raises `TaskCrashedError` when the workers can't go on."""
        tasks = Supervisor()
        log.info("working", namespaces=self._settings.namespaces, cluster_wide=self._settings.cluster_wide)
        try:
            tasks.spawn("workers", self._work)
            tasks.spawn("watches", self._watch, RESTART)
            tasks.spawn("observe", self._reconciler.observe, RESTART)
            tasks.spawn("verify", self._reconciler.verify, RESTART)
            raise await tasks.crashed()
        finally:
            await tasks.close()

    async def _work(self) -> None:
        await self._workers.run(self._reconciler.reconcile)

    async def _watch(self) -> None:
        """Follow all kinds, once the API server knows them, and begin anew when it knows others."""
        while problem := await self._obstacle():
            log.warning("not watching yet", problem=problem)
            await asyncio.sleep(DEFINITIONS_SECONDS)
        pulse = self.pulses.setdefault("watches", Pulse(SystemClock()))
        kinds = self._reconciler.optional_kinds
        await kinds.detect()
        while True:
            kinds.changed.clear()
            await until(kinds.changed, watch(self._settings, self._notice, pulse.beat, kinds.watched))

    async def _obstacle(self) -> str:
        """Why kinds can't be followed; empty when they can."""
        try:
            missing = [kind.plural for kind in RESOURCES if not await self._kube.serves(kind)]
        except KubeError as error:
            return str(error)
        return f"there are no {', '.join(missing)}: install the resource definitions of the chart" if missing else ""

    def _notice(self, kind: Kind, body: dict[str, Any], deleted: bool) -> None:
        self._reconciler.notice(kind, body, deleted=deleted)


async def operate(settings: Settings, namespace: str, http: Address) -> None:
    """Run an operator until a signal ends it.

    Raises `LeadershipLostError` when another took over, `AddressError`, `SettingsFileError` and `TaskCrashedError`.
    """
    clock = SystemClock()
    pulse = Pulse(clock)
    async with Signals() as signals, connected(pulse) as (kube, pods):
        application = Application(settings, namespace, kube, pods)
        application.pulses["API server"] = pulse
        pages = HealthPages(application.pulses, application.registry)
        await pages.start(http)
        try:
            work = lead(application, kube, namespace) if settings.leader_election else application.run()
            await until(signals.stop, work)
        finally:
            await pages.stop()


@asynccontextmanager
async def connected(pulse: Pulse) -> AsyncIterator[tuple[KubeClient, PodClients]]:
    """The clients of the API server and of pods."""
    with TemporaryDirectory(prefix="forebay-") as folder:
        kube, pods = KubeClient(await connect(), pulse.beat), PodClients(Path(folder))
        try:
            yield kube, pods
        finally:
            await pods.close()
            await kube.close()


async def lead(application: Application, kube: KubeClient, namespace: str) -> None:
    """Wait to be the leader, then work. Raises `LeadershipLostError`."""
    lease = leadership(kube, namespace, SystemClock())
    try:
        await lease.acquire()
        # A process that stood still may go on in the middle of a pass, long after another took over.
        kube.may_write = lambda: lease.held
        await until(lease.lost, application.run())
        raise LeadershipLostError("another operator leads by now; this one begins again as its deputy")
    finally:
        await lease.release()


async def until(event: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Work until the event is set; what the work raises."""
    waiting, working = asyncio.ensure_future(event.wait()), asyncio.ensure_future(work)
    try:
        await asyncio.wait({waiting, working}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (waiting, working):
            task.cancel()
        await asyncio.gather(waiting, working, return_exceptions=True)
