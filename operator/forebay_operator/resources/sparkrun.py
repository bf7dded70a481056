"""One run of a Compaction: the command line of its job, whoever runs it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from forebay.api.quantities import format_duration, format_size
from forebay.api.v1alpha1 import Compaction, Job, Outfeed, Spill
from forebay.api.v1alpha1.compaction import OUTFEED_DATA
from forebay_operator.body import Body
from forebay_operator.compactions import Trigger
from forebay_operator.compactions.moments import written
from forebay_operator.compactions.run import DUE, GENERATION, TRIGGER
from forebay_operator.resources.names import CompactionNames
from forebay_operator.resources.ownership import owned
from forebay_operator.resources.purge import server
from forebay_operator.settings import Settings

ROLE = "compaction"
RUN = "forebay.dev/run"
"""Label of the pods of a run, beside those of its Compaction."""
MAIN_FILE = "local:///opt/forebay/jobs.py"
"""The jobs, in the image."""
FIGURES = "/dev/termination-log"
"""Where a job leaves its figures: Kubernetes keeps them with the pod."""
MEBIBYTE = 1024**2


@dataclass(frozen=True)
class SparkRun:
    """A run that is to be made."""

    compaction: Compaction
    target: Spill | Outfeed
    services: Sequence[Mapping[str, str]]
    """The services that use the target, if it is a Spill: kind, name and uid of each."""
    trigger: Trigger
    due: datetime
    """The time of the schedule that it is for; without one, now."""

    @property
    def name(self) -> str:
        """Of its object. Two runs of a Compaction at the same minute are the same."""
        return CompactionNames.of(self.compaction).run(self.compaction.metadata.generation, self.due)

    @property
    def arguments(self) -> list[str]:
        """What the job is told."""
        return [self.compaction.spec.job.value, *_WORDS[self.compaction.spec.job](self), "--figures", FIGURES]

    def configuration(self, needed: Mapping[str, str]) -> dict[str, str]:
        """Of Spark: what is needed by who runs it, and what the user gives, which counts."""
        # Nobody is to look at a run but by its figures.
        return {"spark.ui.enabled": "false", **needed, **self.compaction.spec.spark_conf}


def run_object(run: SparkRun, api_version: str, kind: str, spec: Body) -> Body:
    """The object of a run. It never changes: a Spark operator would begin the run anew."""
    body = owned(run.compaction, ROLE, api_version, kind, run.name, spec=spec)
    notes = {DUE: written(run.due), TRIGGER: run.trigger.value, GENERATION: str(run.compaction.metadata.generation)}
    body["metadata"] |= {"annotations": notes}
    return body


def image_of(run: SparkRun, settings: Settings) -> str:
    """The image of all its pods."""
    return run.compaction.spec.image or (settings.spark.image.name if settings.spark.image else "")


def mebibytes(octets: int) -> str:
    """An amount of memory as Java has it."""
    return f"{octets // MEBIBYTE}m"


def _spill_words(run: SparkRun) -> Iterator[str]:
    assert isinstance(run.target, Spill)  # noqa: S101 the rules of the spec
    yield from server(run.target)[0]
    for service in run.services:
        yield from ("--service", service["kind"].lower(), "--uid", service["uid"])
    limits = run.compaction.spec.limits
    if limits and limits.max_age is not None:
        yield from ("--max-age", format_duration(limits.max_age))
    if limits and limits.max_size is not None:
        yield from ("--max-bytes", format_size(limits.max_size))


def _outcomes_words(run: SparkRun) -> Iterator[str]:
    yield from ("--outcomes", f"{_data(run)}/outcomes", "--to", f"{run.compaction.spec.output}/outcomes")


def _report_words(run: SparkRun) -> Iterator[str]:
    output = run.compaction.spec.output
    yield from ("--outcomes", f"{output}/outcomes", "--to", f"{output}/{run.target.metadata.name}.html")


def _verify_words(run: SparkRun) -> Iterator[str]:
    yield from ("--data", _data(run))


def _data(run: SparkRun) -> str:
    """Where an Outfeed keeps what it has on its volume."""
    metadata = run.target.metadata
    return f"{OUTFEED_DATA}/outfeed/{metadata.namespace}.{metadata.name}"


_WORDS = {
    Job.COMPACT_SPILL: _spill_words,
    Job.COMPACT_OUTCOMES: _outcomes_words,
    Job.FEED_REPORT: _report_words,
    Job.VERIFY_MESSAGES: _verify_words,
}
