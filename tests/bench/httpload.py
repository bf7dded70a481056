"""A load over HTTP by Debian's wrk: connections that are kept, and announces as fast as they are answered."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.crowds import Crowd, target
from peers.process import run
from processes import Running

SCRIPT = Path(__file__).with_name("announces.lua")
THREADS, CONNECTIONS = 1, 64
MOST_TARGETS = 50_000


def lacking() -> str:
    """Why it cannot be run; empty: it can."""
    return "" if shutil.which("wrk") else "needs wrk: apt-get install --no-install-recommends wrk"


def write_targets(crowd: Crowd, file: Path) -> None:
    """Write what the clients of a crowd ask for, one on each line."""
    file.write_text("".join(f"{target(*member)}\n" for member in crowd.some(MOST_TARGETS, seed=1)))


def command(port: int, targets: Path, seconds: float) -> list[object]:
    """What is run; wrk knows whole seconds only."""
    options = (f"-t{THREADS}", f"-c{CONNECTIONS}", f"-d{max(1, round(seconds))}s", "--timeout", "10s")
    return ["wrk", *options, "-s", SCRIPT, f"http://127.0.0.1:{port}", "--", targets]


async def rate(port: int, targets: Path, seconds: float) -> float:
    """Announces a second that a tracker answers."""
    told = await run(*command(port, targets, seconds))
    assert "Non-2xx" not in told, told
    return float(re.search(r"Requests/sec:\s+([0-9.]+)", told)[1])  # type: ignore[index]


@contextmanager
def pressure(port: int, targets: Path, log: Path) -> Iterator[None]:
    """As long as this lasts, a tracker is asked for all that it can do."""
    load = Running(command(port, targets, 3600), log)
    try:
        yield
    finally:
        load.kill()
