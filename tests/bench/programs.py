"""Programs that put something under load: each is a process of its own, and says what it has done in lines of JSON."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

TESTS = Path(__file__).parents[1]
LONGEST = 300.0
"""Seconds until a program says something; else the bench fails."""


class Program:
    """One of them, as the bench holds it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def told(self) -> dict[str, Any]:
        assert self.process.stdout
        async with asyncio.timeout(LONGEST):
            line = await self.process.stdout.readline()
        assert line, f"a program of the bench has ended with {await self.process.wait()}"
        return json.loads(line)

    def go_on(self) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"\n")


@asynccontextmanager
async def program(module: str, *arguments: object) -> AsyncIterator[Program]:
    """One that runs until the bench has what it wants."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *map(str, arguments), stdin=pipe, stdout=pipe, cwd=TESTS
    )
    try:
        yield Program(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


# What programs do themselves.


def tell(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def told_to_go_on() -> None:
    """Until the bench says so."""
    await asyncio.to_thread(sys.stdin.readline)


def percentile(seconds: list[float], part: float) -> float:
    """In microseconds."""
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * part))] * 1e6


async def measured(ask: Callable[[], Awaitable[Any]], count: int) -> None:
    """Ask so often, one after the other, and tell how long that took."""
    for _ in range(count // 10):
        await ask()
    seconds = []
    for _ in range(count):
        began = perf_counter()
        await ask()
        seconds.append(perf_counter() - began)
    tell(p50=percentile(seconds, 0.5), p99=percentile(seconds, 0.99))
