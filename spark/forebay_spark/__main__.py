"""Entry of the jobs: `python -m forebay_spark JOB …`, and the same behind spark-submit.

A job is a module of `forebay_spark.jobs` named in `JOBS`. Its docstring is its help; `arguments(parser)` adds what it
takes, `run(options, spark)` does it.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from forebay.runtime import ForebayError
from forebay_spark.errors import OptionError
from forebay_spark.figures import Figures, line, publish
from forebay_spark.session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILED = 1
"""Exit status: not, or not all of it, done."""
MISUSED = 2
"""Exit status: the arguments are wrong."""
INTERRUPTED = 130
"""Exit status: ended from the keyboard."""
JOBS = {
    "compact-spill": "compact_spill",
    "compact-outcomes": "compact_outcomes",
    "feed-report": "feed_report",
    "verify-messages": "verify_messages",
}


class Job(Protocol):
    """What a module of `forebay_spark.jobs` has."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments of the job."""

    def run(self, options: argparse.Namespace, spark: "SparkSession") -> Figures:
        """Do the job. Raises `ForebayError` and `OSError`."""


def job_of(name: str) -> Job:
    """The job of a name in `JOBS`."""
    return importlib.import_module(f"forebay_spark.jobs.{JOBS[name]}")


def parser_of(names: Iterable[str]) -> argparse.ArgumentParser:
    """The parser of a command line that names one of some jobs."""
    parser = argparse.ArgumentParser("forebay_spark", description="Run a Spark job of Forebay.")
    commands = parser.add_subparsers(dest="job", required=True, metavar="JOB")
    for name in names:
        job = job_of(name)
        text = (job.__doc__ or "").strip()
        command = commands.add_parser(name, help=text.splitlines()[0], description=text)
        job.arguments(command)
        command.add_argument(
            "--cores", type=int, metavar="NUMBER", help="cores of a local run (default: all there are)"
        )
        command.add_argument("--figures", type=Path, metavar="FILE", help="write the line of figures there too")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run a job; the exit status."""
    # The others, and what they need, are not imported for nothing.
    named = [name for name in arguments[:1] if name in JOBS]
    options = parser_of(named or JOBS).parse_args(arguments)
    try:
        figures = run(options)
    except (ForebayError, OSError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return MISUSED if isinstance(error, OptionError) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    for failure in figures.failures:
        sys.stderr.write(f"Failed: {failure}\n")
    publish(line(options.job, figures), options.figures)
    return FAILED if figures.failures else 0


def run(options: argparse.Namespace) -> Figures:
    """Run a job in a session of its own; its figures and the seconds it took, those of Spark's start apart."""
    began = time.monotonic()
    with spark_session(options.job, options.cores) as spark:
        started = time.monotonic()
        figures = job_of(options.job).run(options, spark)
        ended = time.monotonic()
    seconds = {"seconds": round(ended - started, 3), "startSeconds": round(started - began, 3)}
    return replace(figures, values={**figures.values, **seconds})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
