"""A StatefulSet with its Pods, as the API server shows them: whether they run, and what keeps them from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forebay_operator.body import Body
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.podtrouble import is_ready, trouble_of


@dataclass(frozen=True)
class Workload:
    """What runs a service, or a managed Spill."""

    statefulset: Body | None = None
    """None while there is none."""
    pods: Sequence[Body] = ()
    """Its Pods."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """What the template of the Pods is to have, which they have from their start; empty where nothing was asked for."""

    @property
    def replicas(self) -> int:
        """How many Pods are wanted."""
        return int(self.statefulset["spec"].get("replicas", 1)) if self.statefulset else 0

    @property
    def is_ready(self) -> bool:
        """Whether every Pod that is wanted takes requests."""
        return self.statefulset is not None and sum(map(is_ready, self.pods)) >= self.replicas

    @property
    def is_rolling(self) -> bool:
        """Whether Pods of an older template are being replaced."""
        status = self.statefulset.get("status", {}) if self.statefulset else {}
        current, update = status.get("currentRevision"), status.get("updateRevision")
        return bool(current and update and current != update)

    @property
    def outdated(self) -> frozenset[str]:
        """Names of Pods that began with something else than what is wanted now, and so are replaced."""
        wanted = self.annotations.items()
        return frozenset(
            pod["metadata"]["name"] for pod in self.pods if not wanted <= pod["metadata"].get("annotations", {}).items()
        )

    @property
    def trouble(self) -> Fault | None:
        """What keeps a Pod from running, and will until somebody acts."""
        return next(filter(None, map(trouble_of, self.pods)), None)

    @property
    def lacking(self) -> Fault | None:
        """Why it is not ready; None when it is."""
        if self.is_ready:
            return None
        if self.trouble:
            return self.trouble
        if self.statefulset is None:
            return Fault("Creating", "the StatefulSet is being made")
        name, namespace = self.statefulset["metadata"]["name"], self.statefulset["metadata"].get("namespace")
        if len(self.pods) < self.replicas:
            remedy = f"if it stays so, `kubectl -n {namespace} describe statefulset {name}` tells why"
            return Fault("PodMissing", f"the StatefulSet {name} has {len(self.pods)} of {self.replicas} Pods; {remedy}")
        waiting = ", ".join(pod["metadata"]["name"] for pod in self.pods if not is_ready(pod))
        return Fault("Starting", f"{waiting} is not ready yet")
