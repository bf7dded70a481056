"""The store service: what the runtime hosts, put together from a configuration."""

import asyncio
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import grpc
import structlog
from prometheus_client.metrics_core import Metric

from forebay.api.v1alpha1 import AccessRule, Store, StoreSpec
from forebay.pb.store.v1 import mirror_pb2, store_pb2
from forebay.pb.store.v1.mirror_pb2_grpc import add_MirrorServiceServicer_to_server
from forebay.runtime.clock import Clock, SystemClock
from forebay.runtime.datafolder import DataFolder
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import FieldViolation
from forebay.runtime.revisions import ResourceResult
from forebay.runtime.service import Degradation, Service
from forebay.runtime.tasks import Supervisor
from forebay.store.configuration import Identity, Selection, kept, select
from forebay.store.errors import DeposedError
from forebay.store.mirroring.followers import Followers
from forebay.store.servicemetrics import service_metrics
from forebay.store.servicer import SERVICE, StoreServicer, add_to_server
from forebay.store.sessions import Opening, QueueHub
from forebay.store.standby.copyfolder import CopyFolder
from forebay.store.standby.pod import Cluster, Pod

if TYPE_CHECKING:
    from forebay.store.queueing.spec import QueueSpec

log = structlog.stdlib.get_logger(__name__)

_NOT_CONFIGURED = Degradation("NotConfigured", "there is no valid configuration yet: see the results of the last Apply")


class StoreService(Service):
    """One Store of a configuration, with its data in a folder of its own."""

    name = "store"
    watched = (f"{SERVICE}/ListQueues", f"{SERVICE}/GetStore")

    def __init__(
        self,
        identity: Identity,
        folder: Path,
        opening: Opening,
        clock: Clock | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        """`identity` is the namespace and name of the Store; `opening` opens its queues. cluster: where it has pods."""
        self._identity = identity
        self.folder = folder
        """Where its data is."""
        self._opening = opening
        self._clock = clock or SystemClock()
        self._data = DataFolder(folder)
        self._servicer = StoreServicer()
        self._pod = Pod(cluster, CopyFolder(folder, self._clock), self._clock) if cluster else None
        self._leading: asyncio.Task[None] | None = None
        self._tasks: Supervisor
        self._hub: QueueHub | None = None
        self._store: Store | None = None
        self._queues: Sequence[QueueSpec] = ()

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """StoreService, and that of mirrors where the store has pods."""
        add_to_server(self._servicer, server)
        names = [SERVICE]
        if self._pod:
            add_MirrorServiceServicer_to_server(self._pod.servicer, server)
            names.append(mirror_pb2.DESCRIPTOR.services_by_name["MirrorService"].full_name)
        return names

    async def start(self, tasks: Supervisor) -> None:
        """Lock the folder. Raises `SettingsError` when another process uses it."""
        self._tasks = tasks
        await self._data.take()

    async def apply(self, document: ConfigDocument) -> Sequence[ResourceResult]:
        """Make a configuration the one in force; what has a fault stays as it was, the Store or a queue."""
        selection = select(document, self._identity)
        store = selection.store or self._store
        if store is None:
            log.error("the configuration has no sound Store of ours", store="/".join(self._identity))
            return selection.not_running()
        if not selection.present:
            log.error("the configuration does not have our Store, the last one stays", store="/".join(self._identity))
            return selection.results
        violations = await self._set(store, selection)
        return [
            result.but(violations[result.uid]) if result.uid in violations else result for result in selection.results
        ]

    async def _set(self, store: Store, selection: Selection) -> dict[str, FieldViolation]:
        """Bring the queues in line with a configuration; what could not be, by identity."""
        queues = kept(self._queues, selection)
        self._queues, self._store = queues, store
        if self._pod:
            self._pod.change(store.spec)
        if self._hub is None and self._leading is None:
            if self._pod and store.spec.mirrors:
                self._servicer.standby, self._servicer.members = self._pod.standing, self._pod.members
                self._leading = self._tasks.spawn("part in the store", self._lead)
            else:
                await self._open(store.spec, None)
        return await self._hub.apply(store.spec, queues, selection.faulty) if self._hub else {}

    async def _open(self, spec: StoreSpec, followers: Followers | None) -> None:
        hub = await self._opening(self.folder, spec, self._queues, self._tasks, self._clock, followers)
        hub.on_blocked = self._servicer.block
        self._servicer.block(hub.blocked)
        self._servicer.hub = self._hub = hub

    async def _lead(self) -> None:
        """Stand by until it is our turn, then be primary to the end of this process."""
        assert self._pod  # noqa: S101 - else it is not called
        assert self._store  # noqa: S101
        followers = await self._pod.lead()
        await self._open(self._store.spec, followers)
        try:
            await self._pod.keep(followers)
        except* DeposedError as group:
            end_at_once(str(group.exceptions[0]))

    def quiesce(self) -> None:
        """Take nothing in any more, and let streams end once what is due has gone out."""
        self._servicer.end()
        if self._pod:
            self._pod.servicer.end()

    async def drain(self) -> None:
        """Write everything and close it."""
        if self._hub:
            await self._hub.close()
        if self._leading and self._pod:
            self._leading.cancel()
            await asyncio.wait([self._leading])
            await self._pod.leave()
        await self._data.release()

    def collect(self) -> Iterable[Metric]:
        """All figures of this moment."""
        shown = service_metrics(self._hub.figures(), self._hub.list()) if self._hub else ()
        return chain(shown, self._pod.collect() if self._pod else ())

    def degradations(self) -> Sequence[Degradation]:
        """What the service does without."""
        if self._hub:
            return [*degradations(self._hub), *(self._pod.degradations() if self._pod else ())]
        return self._pod.degradations() if self._pod and self._leading else [_NOT_CONFIGURED]

    def access(self) -> Sequence[AccessRule]:
        """Who may call what. Rules that the store has leave out its own pods."""
        rules = self._store.spec.access if self._store else ()
        return (*rules, *self._pod.access()) if rules and self._pod else rules


def end_at_once(problem: str) -> NoReturn:
    """End the process of a pod that is primary no more, without a drain.

    What its clients wait for it may not confirm: the sooner their connections end, the sooner they find the next
    primary. What it has confirmed is on disk, here and wherever else it has to be.
    """
    log.critical("primary no more: the process ends", problem=problem)
    sys.stderr.flush()
    os._exit(1)


def degradations(hub: QueueHub) -> list[Degradation]:
    """What a configured store does without now."""
    figures = hub.figures()
    found = [Degradation(f"{alarm.kind.capitalize()}Alarm", alarm.message) for alarm in figures.alarms]
    for queue in hub.list():
        if queue.state == store_pb2.QUEUE_STATE_CRASHED:
            problem = f"it crashed and is started again: {queue.reason}"
            found.append(Degradation("QueueCrashed", problem, "StoreQueue", queue.name))
    if damaged := figures.persistent.damaged:
        found.append(Degradation("Damage", f"{damaged} records on disk were damaged and set aside: see the log"))
    return found
