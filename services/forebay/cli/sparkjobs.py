"""Running a Spark job in a process of its own."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from types import FrameType
from typing import Any

from forebay.cli.errors import InputError
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table

PROGRAM = "forebay_spark"


def options_of(given: Mapping[str, object]) -> list[str]:
    """Options and their values as a command line has them; those without a value are left out."""
    return [text for option, value in given.items() if value not in (None, "") for text in (option, str(value))]


def run_job(arguments: Sequence[str], output: Output) -> None:
    """Run a job, print its figures, and end as it ended. Raises `InputError` when Spark is not installed."""
    if find_spec("pyspark") is None:
        raise InputError("Spark is not installed", "Install it with `pip install 'forebay[spark]'`.")
    figures: dict[str, Any] = {}
    with _started([sys.executable, "-m", PROGRAM, *arguments]) as process:
        for line in process.stdout or ():
            if line.startswith('{"job":'):
                figures = json.loads(line)["figures"]
            elif output is Output.TABLE:
                print(line, end="", flush=True)
    if output is Output.JSON:
        print_json(figures)
    elif figures:
        print_table("", ("figure", ">value"), rows_of(figures))
    if process.returncode:
        sys.exit(process.returncode)


def rows_of(figures: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Figures by their names; those by reason are a row each."""
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}: {reason}", count) for reason, count in value.items())
        else:
            yield name, value


@contextmanager
def _started(command: Sequence[str]) -> Iterator["subprocess.Popen[str]"]:
    """A process that is asked to end when this one is."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:

        def forward(number: int, frame: FrameType | None) -> None:
            process.send_signal(number)

        before = signal.signal(signal.SIGTERM, forward)
        try:
            yield process
        finally:
            signal.signal(signal.SIGTERM, before)
