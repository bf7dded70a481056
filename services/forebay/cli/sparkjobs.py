"""Running a Spark job in a process of its own."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from types import FrameType
from typing import Any, NamedTuple

from forebay.cli.errors import InputError
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table

PROGRAM = "forebay_spark"


class Outcome(NamedTuple):
    """How a job ended."""

    figures: Mapping[str, Any]
    """What it did, by names in camelCase; empty if it did not get so far."""
    problem: str
    """What it did not do and why; empty when all was done."""


def options_of(given: Mapping[str, object]) -> list[str]:
    """Options and their values as a command line has them; those without a value are left out."""
    return [text for option, value in given.items() if value not in (None, "") for text in (option, str(value))]


def run_job(arguments: Sequence[str], output: Output) -> None:
    """Run a job, print its figures, and end as it ended. Raises `InputError` when Spark is not installed."""
    check_installed()
    said: dict[str, Any] = {}
    with _started([sys.executable, "-m", PROGRAM, *arguments]) as process:
        for line in process.stdout or ():
            if found := said_in(line):
                said = found
            elif output is Output.TABLE:
                print(line, end="", flush=True)
    figures = said.pop("figures", {})
    if output is Output.JSON:
        print_json({**figures, **said})
    elif figures:
        print_table("", ("figure", ">value"), rows_of(figures))
    if process.returncode:
        sys.exit(process.returncode)


async def outcome_of(arguments: Sequence[str]) -> Outcome:
    """Run a job without a word, beside the event loop; it is ended when this is cancelled.

    Raises `InputError` when Spark is not installed.
    """
    check_installed()
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", PROGRAM, *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    try:
        out, err = (text.decode(errors="replace") for text in await process.communicate())
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    said = next(filter(None, map(said_in, out.splitlines())), {})
    return Outcome(said.get("figures", {}), last_words(err) if process.returncode else "")


def last_words(text: str) -> str:
    """What a job that failed said last on standard error."""
    said = next((line for line in reversed(text.splitlines()) if line.strip()), "the job said nothing")
    return said.strip().removeprefix("Error: ").removeprefix("Failed: ")


def check_installed() -> None:
    """Raises `InputError` when Spark is not installed."""
    if find_spec("pyspark") is None:
        raise InputError("Spark is not installed", "Install it with `pip install 'forebay[spark]'`.")


def said_in(line: str) -> dict[str, Any]:
    """The figures, and any failures, of a line in which a job tells them; nothing in any other line."""
    said: dict[str, Any] = json.loads(line) if line.startswith('{"job":') else {}
    return {name: value for name, value in said.items() if name != "job"}


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
