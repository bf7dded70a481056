"""Compaction: a Spark job on a Spill or an Outfeed, by a schedule, by size, or once."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Distinct, OnlyFor, Paired, Rule
from forebay.api.v1alpha1.metadata import WORD, Metadata, Name, Resource
from forebay.api.v1alpha1.spill import GIBIBYTE
from forebay.api.values import Flag, Size, Span, Text, Texts, Whole

RunName = Annotated[
    str,
    Text(
        "^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$",
        "lower-case letters, digits and '-', with a letter first and a letter or digit last",
        longest=40,
    ),
]
"""A name that runs are named after: a label of RFC 1035, with room for what they append."""


def _field(value: str) -> str:
    """A pattern of one field of a schedule: values, ranges and steps, as many as need be."""
    part = rf"(\*|{value}(-{value})?)(/[1-9][0-9]?)?"
    return f"{part}(,{part})*"


_FIELDS = (
    "[0-5]?[0-9]",
    "([01]?[0-9]|2[0-3])",
    "(0?[1-9]|[12][0-9]|3[01])",
    "(0?[1-9]|1[0-2]|(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    "([0-7]|(?i:sun|mon|tue|wed|thu|fri|sat))",
)
_SCHEDULE = f"^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|{' +'.join(map(_field, _FIELDS))})$"
Schedule = Annotated[
    str,
    Text(
        _SCHEDULE,
        "minute, hour, day of the month, month and day of the week as cron has them, as 30 2 * * *, or @daily",
        longest=200,
    ),
]
Zone = Annotated[
    str, Text("^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,2}$", "a name of IANA's, as Europe/Berlin", longest=64)
]
CoreRequest = Annotated[
    str, Text(r"^([1-9][0-9]{0,5}m|[1-9][0-9]{0,3}(\.[0-9]{1,3})?)$", "cores, as 100m or 1.5", longest=8)
]
Folder = Annotated[str, Text("^(/[0-9A-Za-z._-]+)+$", "an absolute path, as /mnt/reports")]

OUTFEED_DATA = "/var/lib/forebay"
"""Where the volume of an Outfeed is seen."""
DENIED_KEYS = (
    "spark.master",
    "spark.app.name",
    "spark.kubernetes.namespace",
    "spark.kubernetes.container.image",
    "spark.kubernetes.driver.container.image",
    "spark.kubernetes.executor.container.image",
    "spark.kubernetes.driver.master",
    "spark.kubernetes.driver.pod.name",
    "spark.kubernetes.driver.podTemplateFile",
    "spark.kubernetes.executor.podTemplateFile",
    *(
        f"spark.kubernetes.authenticate.{part}{secret}"
        for part in ("", "driver.", "executor.")
        for secret in ("serviceAccountName", "oauthToken", "oauthTokenFile")
    ),
)
"""What Spark operators refuse in a configuration, and what the operator decides itself."""


class Job(StrEnum):
    """What is done."""

    COMPACT_SPILL = "compact-spill"
    """Spilled entries of all services of a Spill: repeats and what is over the limits are dropped."""
    COMPACT_OUTCOMES = "compact-outcomes"
    """The outcome log of an Outfeed becomes Parquet."""
    FEED_REPORT = "feed-report"
    """A page with plots of that Parquet."""
    VERIFY_MESSAGES = "verify-messages"
    """The articles of an Outfeed on disk are checked."""


class TargetKind(StrEnum):
    """What a job works on."""

    SPILL = "Spill"
    OUTFEED = "Outfeed"


class Engine(StrEnum):
    """What runs a job."""

    SPARK_APPLICATION = "SparkApplication"
    """A Spark operator, with executors in pods of their own."""
    JOB = "Job"
    """A Job of Kubernetes, with one pod that does all."""


class Concurrency(StrEnum):
    """What happens when a run is due while another is active."""

    FORBID = "Forbid"
    """The active one goes on, and the other is left out."""
    REPLACE = "Replace"
    """The active one is ended."""


class TargetReference(Model):
    """A resource of the same namespace, of any of these kinds."""

    kind: TargetKind
    """Its kind."""
    name: Name
    """Its name."""


class Threshold(Model):
    """A size that starts a run."""

    size: Annotated[int, Size("1MB", "1TB")]
    """A run starts when what is spilled for one peer has this size. An entry has about 70 octets."""
    gap: Annotated[timedelta, Span("1m", "30d")] = timedelta(minutes=15)
    """Time between the start of any run and one by size, at least: what is still wanted stays, however large."""


class SpillLimits(Model):
    """What is dropped beside repeats."""

    max_age: Annotated[timedelta, Span("1m", "365d")] | None = None
    """Entries of articles that arrived longer ago are dropped. Left out: none."""
    max_size: Annotated[int, Size("4KB", "1TB")] | None = None
    """Size of one peer's entries beyond which the oldest are dropped. Left out: none."""


class SparkDriver(Model):
    """The pod that leads a run; with the engine Job, the one that does it all."""

    cores: Annotated[int, Whole(1, 64, "cores")] = 1
    """Tasks at once where it does them itself, as with the engine Job."""
    core_request: CoreRequest = "100m"
    """Processor time that is reserved for it."""
    memory: Annotated[int, Size("512MiB", "1TiB")] = GIBIBYTE
    """Its Java heap. The pod gets two fifths more, and 384 MiB at least, for Python."""


class SparkExecutor(Model):
    """The pods that do the work of a run."""

    instances: Annotated[int, Whole(1, 1000, "pods")] = 1
    """How many there are."""
    cores: Annotated[int, Whole(1, 64, "cores")] = 1
    """Tasks at once in each."""
    core_request: CoreRequest = "100m"
    """Processor time that is reserved for each."""
    memory: Annotated[int, Size("512MiB", "1TiB")] = GIBIBYTE
    """Java heap of each. The pod gets two fifths more, and 384 MiB at least, for Python."""


class ClaimVolume(Model):
    """A PersistentVolumeClaim that driver and executors see."""

    claim: Name
    """Its name."""
    path: Folder
    """Where they see it."""
    read_only: Flag = False
    """Whether they may only read it."""


class RunHistory(Model):
    """Runs that stay to be looked at, with their pods."""

    succeeded: Annotated[int, Whole(0, 100, "runs")] = 3
    """How many of those that went well."""
    failed: Annotated[int, Whole(0, 100, "runs")] = 3
    """How many of those that did not."""
    keep: Annotated[timedelta, Span("1h", "365d")] = timedelta(days=7)
    """How long they stay at most."""


class CompactionSpec(Model):
    """What is done to what, when, and by what."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Paired(
            "targetRef.kind",
            "job",
            (
                ("compact-spill", "Spill"),
                ("compact-outcomes", "Outfeed"),
                ("feed-report", "Outfeed"),
                ("verify-messages", "Outfeed"),
            ),
        ),
        OnlyFor("threshold", "job", ("compact-spill",)),
        OnlyFor("limits", "job", ("compact-spill",)),
        Distinct("volumes", key="path"),
    )

    job: Job
    """What is done: `compact-spill`, `compact-outcomes`, `feed-report` (of what compact-outcomes has made) or
    `verify-messages`."""
    target_ref: TargetReference
    """What it is done to."""
    schedule: Schedule | None = None
    """When runs start, as cron has it. Left out: by `threshold`; without either, once for each change of this spec."""
    time_zone: Zone = "Etc/UTC"
    """The time zone of the schedule."""
    suspend: Flag = False
    """Start no runs. One that is active goes on, and what is due meanwhile is left out."""
    concurrency: Concurrency = Concurrency.FORBID
    """When a run is due while another is active: `Forbid` leaves it out, `Replace` ends the active one."""
    threshold: Threshold | None = None
    """A size that starts a run, beside the schedule. For compact-spill alone. Left out: none does."""
    limits: SpillLimits | None = None
    """What is dropped beside repeats. For compact-spill alone. Left out: nothing."""
    output: Folder = f"{OUTFEED_DATA}/reports"
    """Folder of the Parquet and of the page that the jobs of an Outfeed write; by default on its own volume. It may lie
    on one of `volumes`."""
    volumes: Annotated[Items[ClaimVolume], Field(max_length=20)] = ()
    """PersistentVolumeClaims that driver and executors see beside that of the Outfeed, which is at
    `/var/lib/forebay`."""
    engine: Engine = Engine.SPARK_APPLICATION
    """What runs it: `SparkApplication`, for a Spark operator, or `Job`, one pod of Kubernetes' own."""
    image: Annotated[str, Text(WORD, "the name of a container image", longest=512)] | None = None
    """Container image with Spark and Forebay's jobs. Left out: that of the operator's settings."""
    spark_version: Annotated[str, Text(r"^[0-9]+\.[0-9]+\.[0-9]+$", "three numbers, as 4.3.0", longest=20)] | None = (
        None
    )
    """Version of Spark in that image. Left out: that of the operator's settings."""
    driver: SparkDriver = SparkDriver()
    """The pod that leads a run; with the engine Job, the one that does it all."""
    executor: SparkExecutor = SparkExecutor()
    """The pods that do the work of a run. The engine Job has none."""
    spark_conf: Annotated[dict[str, str], Texts("spark.", DENIED_KEYS, 100, 4096)] = Field(default_factory=dict)
    """Further configuration of Spark."""
    retries: Annotated[int, Whole(0, 20, "tries")] = 2
    """Further tries of a run that failed, with growing waits."""
    deadline: Annotated[timedelta, Span("1m", "7d")] = timedelta(hours=6)
    """Time after which a run is given up, all its tries together."""
    history: RunHistory = RunHistory()
    """Runs that stay to be looked at."""


class CompactionMetadata(Metadata):
    """Who a resource is that runs are named after."""

    name: RunName
    """Its name, of its own among the resources of its kind and namespace."""


class Compaction(Resource):
    """A Spark job on a Spill or an Outfeed."""

    parents: ClassVar[dict[str, str]] = {"targetRef": ""}

    kind: Literal["Compaction"] = "Compaction"
    """What it is."""
    metadata: CompactionMetadata
    """Who it is."""
    spec: CompactionSpec
    """What it is to be."""
