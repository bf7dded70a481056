"""Compactions: runs are started when they are due, followed, and cleared away."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog

from forebay.api.v1alpha1 import Compaction, CompactionSpec, Engine
from forebay_operator.body import Body, identity_of
from forebay_operator.compactions import (
    Decision,
    Run,
    RunCounts,
    Schedule,
    ScheduleError,
    Situation,
    Trigger,
    decide,
    observed,
    schedule_of,
    superfluous,
)
from forebay_operator.compactions.run import moment
from forebay_operator.conditions import Fault, Progress, compaction_status, is_paused, paused_status
from forebay_operator.errors import ConflictError, ReconcileError
from forebay_operator.kube import kind_of
from forebay_operator.kube.kinds import COMPACTION
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.compactionruns import Sight, look, recorded
from forebay_operator.reconcile.compactiontarget import Target, check_engine, find_target
from forebay_operator.reconcile.faults import TELLING, fault_of
from forebay_operator.reconcile.gate import check_allowed, is_ending, modelled
from forebay_operator.reconcile.ownership import check_ours
from forebay_operator.reconcile.world import World
from forebay_operator.resources import SparkRun, spark_application, spark_job
from forebay_operator.workers import Outcome

Size = Callable[[str, str], int]
"""Octets that are spilled for the peer for which there is most, on the Spill of a namespace and name."""

log = structlog.stdlib.get_logger(__name__)


@dataclass
class Scene:
    """A Compaction as its last pass saw it."""

    compaction: Body
    spec: CompactionSpec | None = None
    """None while it is not known to be sound."""
    runs: list[Run] = field(default_factory=list)
    lingering: bool = False
    schedule: Schedule | None = None
    until: datetime | None = None
    trouble: Fault | None = None
    fault: Fault | None = None

    @property
    def progress(self) -> Progress:
        """What its status tells of its runs."""
        return Progress(self.runs, self.schedule, self.until, self.trouble)


class CompactionReconciler:
    """Reconciles Compactions."""

    def __init__(self, world: World, size: Size) -> None:
        self.scenes: dict[Key, Scene] = {}
        self.counts: defaultdict[Key, RunCounts] = defaultdict(RunCounts)
        self._world = world
        self._size = size

    async def reconcile(self, key: Key, depth: Depth) -> Outcome:
        """One pass over a Compaction, whether it is there or not."""
        if depth is Depth.OBSERVE:
            return await self._observe(key)
        body = await self._world.kube.find(COMPACTION, key.namespace, key.name)
        if body is None or is_ending(body) or is_paused(body):
            self.scenes.pop(key, None)
            return await self._absent(key, body)
        self._world.known.add(key)
        return await self._present(key, Scene(body, runs=recorded(body)))

    async def _absent(self, key: Key, body: Body | None) -> Outcome:
        """There is nothing to do: what was run goes with its owner."""
        if body is None:
            self._world.known.discard(key)
            self._world.dependents.forget(key)
            self.counts.pop(key, None)
        elif not is_ending(body):
            await self._world.statuses.write(body, paused_status(body, self._world.now()))
        return Outcome.OK

    async def _present(self, key: Key, scene: Scene) -> Outcome:
        self.scenes[key] = scene
        try:
            await self._bring_about(key, scene)
        except TELLING as error:
            scene.fault = fault_of(error)
            await self._tell(scene)
            if isinstance(error, ReconcileError):
                return Outcome.FAULT
            raise
        return Outcome.FAULT if scene.fault else Outcome.OK

    async def _bring_about(self, key: Key, scene: Scene) -> None:
        world = self._world
        check_allowed(scene.compaction, world.settings)
        compaction = modelled(scene.compaction, Compaction)
        target = compaction.spec.target_ref
        world.dependents.depend(key, [Key(target.kind.value, key.namespace, target.name)])
        sight = await look(world.kube, scene.compaction)
        scene.runs = sight.runs(scene.runs, world.now())
        scene.lingering, scene.trouble = sight.lingering(scene.runs), sight.trouble(scene.runs)
        scene.schedule, scene.until = schedule_in(scene, compaction.spec, world.now())
        scene.spec = compaction.spec
        decision = decide(self._situation(scene), world.now())
        await self._carry_out(scene, compaction, decision, sight)
        await self._tell(scene)
        await self._clear(scene, sight)

    async def _carry_out(self, scene: Scene, compaction: Compaction, decision: Decision, sight: Sight) -> None:
        """Note which runs are ended, and start one; where that can't be, its time stays due."""
        for run, state, message in decision.ends:
            ended = replace(run, state=state, message=message, ended=self._world.now())
            scene.runs = [ended if each.name == run.name else each for each in scene.runs]
        try:
            check_engine(compaction, self._world.settings, has_spark_operator=sight.has_spark_operator)
            target = await find_target(self._world.kube, compaction)
            if decision.start:
                scene.runs.append(await self._start(compaction, target, *decision.start))
        except ReconcileError as error:
            scene.fault = fault_of(error)
            return
        scene.until = decision.until

    async def _start(self, compaction: Compaction, target: Target, trigger: Trigger, due: datetime) -> Run:
        """Make the object of a run; one that is there already was made by a pass that was cut short."""
        run = SparkRun(compaction, target.resource, target.services, trigger, due)
        build = spark_application if compaction.spec.engine is Engine.SPARK_APPLICATION else spark_job
        body = build(run, self._world.settings)
        try:
            made = await self._world.kube.create(body)
            log.info("run started", run=run.name, trigger=trigger.value)
        except ConflictError:
            found = await self._world.kube.find(kind_of(body), compaction.metadata.namespace, run.name)
            if found is None:
                raise
            check_ours(found, body)
            made = found
        return observed(made, (), None, self._world.now())

    async def _clear(self, scene: Scene, sight: Sight) -> None:
        """Delete the objects of runs that are over, now that the status tells what came of them."""
        if scene.spec is None:
            return
        for body in sight.to_delete(scene.runs, superfluous(scene.spec, scene.runs)):
            await self._world.kube.delete(body, "Background")

    async def _observe(self, key: Key) -> Outcome:
        """See whether a time has come, by what is known."""
        scene = self.scenes.get(key)
        if scene is None or scene.spec is None:
            return Outcome.OK
        situation = self._situation(scene)
        decision = decide(situation, self._world.now())
        is_blocked = scene.fault is not None and not decision.ends
        if decision.acts(situation) and not is_blocked:
            # By a pass of its own: one that fails is tried again as one.
            self._world.put(key, Depth.RECONCILE, 0.0)
        else:
            await self._tell(scene)
        return Outcome.FAULT if scene.fault else Outcome.OK

    def _situation(self, scene: Scene) -> Situation:
        spec, metadata = scene.spec, scene.compaction["metadata"]
        assert spec is not None  # noqa: S101 whoever asks has looked
        size = self._size(metadata["namespace"], spec.target_ref.name) if spec.threshold else 0
        until = scene.until or self._world.now()
        return Situation(spec, metadata["generation"], scene.runs, scene.lingering, scene.schedule, until, size)

    async def _tell(self, scene: Scene) -> None:
        now = self._world.now()
        status = compaction_status(scene.compaction, scene.spec, scene.progress, now, scene.fault)
        before = recorded(scene.compaction)
        await self._world.statuses.write(scene.compaction, status)
        # What could not be written is told, and so counted, by another pass.
        self.counts[Key(*identity_of(scene.compaction))].note(before, recorded(scene.compaction))


def schedule_in(scene: Scene, spec: CompactionSpec, now: datetime) -> tuple[Schedule | None, datetime | None]:
    """The schedule that is in force, and up to when its times are dealt with. Raises `ReconcileError`.

    Another schedule, or one that was suspended, begins now; a new resource's at its creation.
    """
    if spec.schedule is None or spec.suspend:
        return None, None
    try:
        schedule = schedule_of(spec.schedule, spec.time_zone)
    except ScheduleError as error:
        raise ReconcileError("Invalid", str(error)) from error
    status = scene.compaction.get("status", {})
    if "observedGeneration" not in status:
        until = moment(scene.compaction["metadata"]["creationTimestamp"])
    else:
        until = moment(status["scheduledUntil"]) if status.get("schedule") == schedule.text else now
    # A pass may have been cut short after it had started a run.
    return schedule, max([until, *due_times(scene.runs)])


def due_times(runs: Sequence[Run]) -> list[datetime]:
    """The times of the schedule for which there are runs."""
    return [run.due for run in runs if run.trigger is Trigger.SCHEDULE]
