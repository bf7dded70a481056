"""Objects of the API server as the plugin reads them: who they are, how they are, and how old."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from forebay.cli.kubectl.program import Body

TRUE, FALSE, UNKNOWN = "True", "False", "Unknown"
MANAGED = "app.kubernetes.io/managed-by=forebay-operator"
"""Label of all that the operator makes."""
INSTANCE = "app.kubernetes.io/instance"
NAME = "app.kubernetes.io/name"
RUN_FIGURES = {"entriesIn": "entries in", "entriesOut": "entries out", "messages": "messages"}
"""What is shown of the figures of a run, and under what name."""
PARENTS = {
    "Peerfeed": ("Outfeed", "outfeedRef"),
    "StoreQueue": ("Store", "storeRef"),
    "Forwarder": ("Announcer", "announcerRef"),
    "RouterLink": ("Router", "routerRef"),
}
"""The kind that a kind belongs to, and the field of its spec that names the resource."""
FIGURES = (
    "peers",
    "connections",
    "queues",
    "messages",
    "ready",
    "unacknowledged",
    "consumers",
    "torrents",
    "forwarders",
    "queued",
    "fill",
    "state",
    "answers",
    "meanMilliseconds",
    "threads",
    "processes",
    "links",
    "alarms",
    "router",
    "waiting",
    "resources",
    "undelivered",
    "backlog",
    "revision",
)
"""What is shown of a status."""


@dataclass(frozen=True)
class Condition:
    """One condition of an object."""

    type: str
    status: str
    """`True`, `False` or `Unknown`."""
    reason: str = ""
    message: str = ""


@dataclass(frozen=True)
class Object:
    """Any object."""

    body: Body

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.body["kind"])

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.metadata["name"])

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return str(self.metadata["namespace"])

    @property
    def uid(self) -> str:
        """Its identity."""
        return str(self.metadata.get("uid", ""))

    @property
    def title(self) -> str:
        """`Kind/name`."""
        return f"{self.kind}/{self.name}"

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Who it is."""
        found: Mapping[str, Any] = self.body["metadata"]
        return found

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.metadata.get("labels") or {}

    @property
    def spec(self) -> Mapping[str, Any]:
        """What it is to be."""
        return self.body.get("spec") or {}

    @property
    def status(self) -> Mapping[str, Any]:
        """How it is; empty before anyone looked at it."""
        return self.body.get("status") or {}

    @cached_property
    def conditions(self) -> Mapping[str, Condition]:
        """Its conditions by type."""
        return {condition.type: condition for condition in self._conditions()}

    def _conditions(self) -> Iterator[Condition]:
        for each in self.status.get("conditions") or ():
            yield Condition(each["type"], each["status"], each.get("reason", ""), each.get("message", ""))

    def age(self, now: datetime) -> timedelta:
        """Time since it was created."""
        return now - moment(str(self.metadata["creationTimestamp"]))


class Resource(Object):
    """A Spill, a service, or what belongs to one."""

    @property
    def ready(self) -> Condition:
        """Its condition Ready; Unknown where the operator has not come to it, or not to its newest form."""
        found = self.conditions.get("Ready")
        if found is None:
            return Condition("Ready", UNKNOWN, "NotSeen", "no operator has looked at it yet")
        if self.observed < self.generation and "Paused" not in self.conditions:
            message = f"the operator has not come to the newest change yet; before it: {found.status} {found.reason}"
            return Condition("Ready", UNKNOWN, "ChangePending", message)
        return found

    @property
    def generation(self) -> int:
        """How often its spec was changed."""
        return int(self.metadata.get("generation", 0))

    @property
    def observed(self) -> int:
        """The generation that its conditions are about."""
        return int(self.status.get("observedGeneration", 0))

    @property
    def parent(self) -> tuple[str, str]:
        """Kind and name of what it belongs to: a Peerfeed, a StoreQueue, a Forwarder, a RouterLink or a Compaction."""
        if self.kind == "Compaction":
            target = self.spec.get("targetRef") or {}
            return str(target.get("kind", "")), str(target.get("name", ""))
        if self.kind not in PARENTS:
            return "", ""
        kind, field = PARENTS[self.kind]
        return kind, str((self.spec.get(field) or {}).get("name", ""))

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of its status, by name; those that are not there are left out."""
        status = self.status
        found = {name: status.get(name) for name in FIGURES}
        if self.kind == "Spill":
            found["services"] = len(status.get("services") or ())
        if run := status.get("lastRun"):
            found |= _run_figures(run)
        found["next run"] = status.get("nextRun")
        return {name: value for name, value in found.items() if value is not None}


def _run_figures(run: Mapping[str, Any]) -> dict[str, Any]:
    """How a run of a Compaction ended, or how far it is, and what it did."""
    figures = run.get("figures", {})
    return {
        "last run": f"{run['state']} {run.get('ended') or run.get('started') or run['created']}",
        **{shown: figures[name] for name, shown in RUN_FIGURES.items() if name in figures},
        "not done": (len(run.get("failures", ())) + run.get("failuresLeft", 0)) or None,
    }


class Pod(Object):
    """A pod of a service or of a managed Valkey."""

    @property
    def owner(self) -> tuple[str, str]:
        """Kind and name of the resource that it runs."""
        kinds = {
            "outfeed": "Outfeed",
            "store": "Store",
            "announcer": "Announcer",
            "router": "Router",
            "conduitnode": "ConduitNode",
            "valkey": "Spill",
        }
        return kinds.get(self.labels.get(NAME, ""), ""), self.labels.get(INSTANCE, "")

    @property
    def phase(self) -> str:
        """What it is doing: its phase, or what keeps a container of it from running."""
        if self.metadata.get("deletionTimestamp"):
            return "Terminating"
        waiting = [state["waiting"].get("reason", "") for state in self._states() if "waiting" in state]
        return next(filter(None, waiting), str(self.status.get("phase", UNKNOWN)))

    @property
    def running(self) -> bool:
        """Whether calls can reach it; it need not be ready for them."""
        return self.phase == "Running"

    @property
    def ready(self) -> Condition:
        """Its condition Ready."""
        found = self.conditions.get("Ready") or Condition("Ready", FALSE)
        if found.status == TRUE:
            return Condition("Ready", TRUE, self.phase)
        scheduled = self.conditions.get("PodScheduled")
        unscheduled = scheduled is not None and scheduled.status != TRUE
        return Condition("Ready", FALSE, self.phase, scheduled.message if scheduled and unscheduled else self._cause())

    @property
    def restarts(self) -> int:
        """How often its containers were started again."""
        return sum(int(each.get("restartCount", 0)) for each in self._containers())

    def _cause(self) -> str:
        messages = [state.get("waiting", {}).get("message", "") for state in self._states()]
        return next(filter(None, messages), "it is not ready" if self.running else "it does not run")

    def _states(self) -> list[Mapping[str, Any]]:
        return [each.get("state") or {} for each in self._containers()]

    def _containers(self) -> list[Mapping[str, Any]]:
        return [*(self.status.get("containerStatuses") or ()), *(self.status.get("initContainerStatuses") or ())]


def moment(text: str) -> datetime:
    """A time as the API server writes it."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def shortly(span: timedelta) -> str:
    """A span as kubectl tells ages: `45s`, `12m`, `5h`, `3d`."""
    seconds = max(0, int(span.total_seconds()))
    for unit, size, least in (("d", 86_400, 2 * 86_400), ("h", 3600, 2 * 3600), ("m", 60, 120)):
        if seconds >= least:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
