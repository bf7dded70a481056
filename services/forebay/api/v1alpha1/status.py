"""What the operator writes about a resource: its conditions, and the figures that matter most."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Distinct, Rule
from forebay.api.v1alpha1.metadata import Name
from forebay.api.values import Facts, Text, Whole

Count = Annotated[int, Whole(0, 2**53, "")]
Kind = Annotated[str, Text(r"^[A-Z][A-Za-z]*$", "a word that begins with a capital", longest=63)]


Failure = Annotated[str, Text(r"^[^\x00]*$", "text", longest=4096)]
Moment = Annotated[str, Text(r"^[0-9-]{10}T[0-9:.]{8,15}Z$", "a time as 2026-01-31T12:00:00Z")]


class Condition(Model):
    """One thing that is so or not, as Kubernetes has conditions."""

    type: Kind
    """What may be so."""
    status: Literal["True", "False", "Unknown"]
    """Whether it is."""
    observed_generation: Count | None = None
    """Generation of the resource that this was seen of."""
    last_transition_time: Moment
    """Since when the status is so."""
    reason: Annotated[str, Text(r"^[A-Z][A-Za-z0-9]*$", "a word that begins with a capital", longest=256)]
    """Why, in a word."""
    message: Annotated[str, Text(r"^[^\x00]*$", "text", longest=4096)]
    """Why, and what to do."""


class Status(Model):
    """What all resources have."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("conditions", key="type"),)

    observed_generation: Count | None = None
    """Generation of the resource that the rest is about."""
    conditions: Annotated[Items[Condition], Field(max_length=16)] = ()
    """What is so and what is not: Ready, Paused, and others of the kind."""


class SpillUser(Model):
    """A service that has keys on a Spill."""

    kind: Kind
    """Kind of its resource."""
    name: Name
    """Name of its resource."""
    uid: Annotated[str, Text(r"^[0-9A-Za-z-]+$", "letters, digits and '-'", longest=64)]
    """Identity of its resource; its keys carry it."""


class SpillStatus(Status):
    """How a Spill is."""

    rules: ClassVar[tuple[Rule, ...]] = (*Status.rules, Distinct("services", key="uid"))

    services: Items[SpillUser] = ()
    """Services that have keys there; one that was deleted stays until its keys are gone."""
    service_count: Count | None = None
    """How many they are."""
    backlog: Count | None = None
    """Articles of all of them that wait there."""


class OutfeedStatus(Status):
    """How an Outfeed is."""

    peers: Annotated[str, Text(r"^[0-9]+/[0-9]+$", "connected and all, as 2/3", longest=32)] | None = None
    """Peers that are connected, of all."""
    backlog: Count | None = None
    """Articles that wait for its peers."""
    revision: Count | None = None
    """Revision of its configuration that was written last."""


class PeerfeedStatus(Status):
    """How a Peerfeed is."""

    connections: Count | None = None
    """Connections that are open."""
    backlog: Count | None = None
    """Articles that wait for the peer."""


class StoreStatus(Status):
    """How a Store is."""

    queues: Annotated[str, Text(r"^[0-9]+/[0-9]+$", "running and all, as 2/3", longest=32)] | None = None
    """Queues that are running, of all."""
    messages: Count | None = None
    """Messages in its queues, those that consumers hold among them."""
    primary: Name | None = None
    """Pod that is primary, as seen last; of a Store with mirrors."""
    members: Annotated[Items[Name], Field(max_length=16)] = ()
    """Pods that have all that was confirmed, as seen last, the primary among them: each may be the next primary."""
    in_sync: Annotated[str, Text(r"^[0-9]+/[0-9]+$", "in sync and all, as 2/3", longest=32)] | None = None
    """How many of its pods those are, of all."""
    revision: Count | None = None
    """Revision of its configuration that was written last."""


class StoreQueueStatus(Status):
    """How a StoreQueue is."""

    ready: Count | None = None
    """Messages that may be delivered."""
    unacknowledged: Count | None = None
    """Messages that consumers hold."""
    consumers: Count | None = None
    """Consumers."""


class AnnouncerStatus(Status):
    """How an Announcer is."""

    peers: Count | None = None
    """Clients that announce, of all torrents."""
    torrents: Count | None = None
    """Torrents that have any."""
    forwarders: Annotated[str, Text(r"^[0-9]+/[0-9]+$", "enabled and all, as 2/3", longest=32)] | None = None
    """Forwarders that get announces, of all."""
    queued: Count | None = None
    """Jobs that wait for a worker."""
    fill: Annotated[int, Whole(0, 100, "%")] | None = None
    """How full the job queue is."""
    revision: Count | None = None
    """Revision of its configuration that was written last."""


class ForwarderStatus(Status):
    """How a Forwarder is."""

    state: Literal["Enabled", "Suspended", "Disabled", "Paused"] | None = None
    """Whether it gets announces: not while it is suspended, which time ends, nor while it is disabled, which a call or
    a change of its spec ends, nor while its spec pauses it."""
    answers: Count | None = None
    """Answers since the Announcer was started."""
    mean_milliseconds: Count | None = None
    """Mean time of an answer, the last ones above all."""


class RouterStatus(Status):
    """How a Router is."""

    threads: Count | None = None
    """Threads of its domain."""
    processes: Count | None = None
    """Processes attached to its pods."""
    links: Annotated[str, Text(r"^[0-9]+/[0-9]+$", "up and all, as 2/3", longest=32)] | None = None
    """RouterLinks that are up, of all."""
    alarms: Count | None = None
    """Alarms that are on."""
    revision: Count | None = None
    """Revision of its configuration that was written last."""


class RouterLinkStatus(Status):
    """How a RouterLink is."""

    state: Literal["Up", "Down", "Suspended"] | None = None
    """Whether messages can take it: `Down` is tried again and again, `Suspended` is not."""
    router: Annotated[str, Text(r"^[^\x00]*$", "text", longest=300)] | None = None
    """The router at the other end."""
    waiting: Count | None = None
    """Octets that wait to be written to it."""


class ConduitNodeStatus(Status):
    """How a ConduitNode is."""

    peers: Count | None = None
    """Peers of all its pods, each counted once; its own pods are not among them."""
    resources: Count | None = None
    """Resources that are known."""
    undelivered: Count | None = None
    """Samples that were dropped, or whose time to wait was over, since the pods were started."""
    revision: Count | None = None
    """Revision of its configuration that was written last."""


class RunStatus(Model):
    """One run of a Compaction."""

    name: Name
    """Name of its SparkApplication or Job."""
    trigger: Literal["Schedule", "Threshold", "Change"]
    """What started it: the schedule, a size, or a change of the spec."""
    generation: Count
    """Generation of the spec that it was started by."""
    due: Moment
    """The time of the schedule that it is for; without one, when it was started."""
    state: Annotated[str, Text("^[A-Z][A-Za-z]*$", "a word that begins with a capital", longest=63)]
    """How far it is: Pending, Starting, Running, Retrying, SubmissionFailed, Suspended or Unknown, and in the end
    Succeeded, Failed, DeadlineExceeded or Cancelled."""
    attempts: Count = 0
    """Tries so far."""
    created: Moment
    """When it was made."""
    started: Moment | None = None
    """When it was begun."""
    ended: Moment | None = None
    """When it had ended."""
    message: Annotated[str, Text(r"^[^\x00]*$", "text", longest=4096)] = ""
    """Why it failed, or what keeps it."""
    figures: Annotated[dict[str, Any], Facts()] = Field(default_factory=dict)
    """What it did, as the job tells it: entries and octets in and out, what was dropped by reason, seconds."""
    failures: Annotated[Items[Failure], Field(max_length=100)] = ()
    """What a job that failed in part did not do, and why: as many as it had room for."""
    failures_left: Count = 0
    """How many more of those there are."""


class CompactionStatus(Status):
    """How a Compaction is."""

    last_run: RunStatus | None = None
    """The newest run."""
    earlier_runs: Annotated[Items[RunStatus], Field(max_length=10)] = ()
    """Those before it, the newest first."""
    next_run: Moment | None = None
    """When the schedule starts the next one."""
    schedule: Annotated[str, Text(r"^[^\x00]*$", "text", longest=300)] | None = None
    """The schedule that is in force, with its time zone."""
    scheduled_until: Moment | None = None
    """Up to when the times of that schedule are dealt with."""
