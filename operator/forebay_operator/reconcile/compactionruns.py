"""The runs of a Compaction, as the API server and its status show them now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from forebay_operator.body import Body
from forebay_operator.compactions import Run, has_to_go, observed, vanished
from forebay_operator.conditions import Fault, trouble_of
from forebay_operator.errors import NotFoundError
from forebay_operator.kube import KubeClient
from forebay_operator.kube.kinds import JOB, POD, SPARK_APPLICATION
from forebay_operator.reconcile.relations import name_of
from forebay_operator.resources.labels import UID
from forebay_operator.resources.sparkpods import COMPONENT, DRIVER
from forebay_operator.resources.sparkrun import RUN

ENDED = ("Succeeded", "Failed")
"""Phases of pods."""


@dataclass(frozen=True)
class Sight:
    """What there is of a Compaction's runs."""

    objects: Sequence[Body]
    """SparkApplications and Jobs."""
    pods: Sequence[Body]
    """Of drivers and executors, in the order in which they were made."""
    has_spark_operator: bool
    """Whether the cluster knows SparkApplications."""

    def runs(self, known: Sequence[Run], now: datetime) -> list[Run]:
        """All runs; `known` are those of the status."""
        before = {run.name: run for run in known}
        found = {
            name_of(body): observed(body, self._drivers(body), before.get(name_of(body)), now) for body in self.objects
        }
        gone = [vanished(run, now) for run in known if run.name not in found]
        return [*found.values(), *gone]

    def lingering(self, runs: Sequence[Run]) -> bool:
        """Whether a driver runs on whose run is over."""
        active = {run.name for run in runs if not run.state.is_final}
        return any(run_of(pod) not in active for pod in self.pods if is_driver(pod) and phase_of(pod) not in ENDED)

    def trouble(self, runs: Sequence[Run]) -> Fault | None:
        """What keeps a pod of an active run from starting."""
        active = {run.name for run in runs if not run.state.is_final}
        waiting = (pod for pod in self.pods if phase_of(pod) == "Pending" and run_of(pod) in active)
        return next(filter(None, map(trouble_of, waiting)), None)

    def to_delete(self, known: Sequence[Run], superfluous: Sequence[Run]) -> list[Body]:
        """The objects of runs that are superfluous, or that we ended; `known` is what the status tells by now."""
        records = {run.name: run for run in known}
        names = {run.name for run in superfluous}
        return [body for body in self.objects if name_of(body) in names or has_to_go(body, records.get(name_of(body)))]

    def _drivers(self, body: Body) -> list[Body]:
        return [pod for pod in self.pods if is_driver(pod) and run_of(pod) == name_of(body)]


async def look(kube: KubeClient, compaction: Body) -> Sight:
    """See what there is."""
    metadata = compaction["metadata"]
    labels = f"{UID}={metadata['uid']}"
    jobs = await kube.list_all(JOB, metadata["namespace"], labels)
    try:
        applications, has_spark_operator = await kube.list_all(SPARK_APPLICATION, metadata["namespace"], labels), True
    except NotFoundError:
        applications, has_spark_operator = [], False
    pods = await kube.list_all(POD, metadata["namespace"], labels)
    pods.sort(key=lambda pod: str(pod["metadata"].get("creationTimestamp", "")))
    return Sight([*applications, *jobs], pods, has_spark_operator)


def recorded(compaction: Body) -> list[Run]:
    """The runs that a status tells of."""
    status = compaction.get("status", {})
    bodies = [*filter(None, [status.get("lastRun")]), *status.get("earlierRuns", [])]
    return [Run.from_status(body) for body in bodies]


def run_of(pod: Body) -> str:
    """The run that a pod is of."""
    return str(pod["metadata"]["labels"].get(RUN, ""))


def is_driver(pod: Body) -> bool:
    """Whether a pod leads its run."""
    return bool(pod["metadata"]["labels"].get(COMPONENT) == DRIVER)


def phase_of(pod: Body) -> str:
    """How far a pod is."""
    return str(pod.get("status", {}).get("phase", "Pending"))
