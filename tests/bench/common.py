"""What every bench needs: rounds in turns, medians, lines that compare, and what a process costs."""

import shutil
import statistics
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import psutil

MIB = 1 << 20
MEMORY_DISK = Path("/dev/shm")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder that every user can walk into, gone at the end; in memory, so that no round pays the writing back of
    the one before.
    """
    folder = Path(mkdtemp(prefix="bench-", dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder)


async def in_turns(contenders: Mapping[str, Callable[[], Awaitable[float]]], rounds: int) -> dict[str, float]:
    """The median rate of each contender. They run one after the other in every round, so that a slow minute of the
    machine is shared; the order turns round with every round.
    """
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    order = list(contenders)
    for _ in range(rounds):
        for name in order:
            rates[name].append(await contenders[name]())
        order.reverse()
    for name, measured in rates.items():
        print(f"  {name}: {', '.join(f'{rate:,.0f}' for rate in measured)}", flush=True)
    return {name: statistics.median(measured) for name, measured in rates.items()}


def ratio_line(name: str, ours: float, rival: float) -> str:
    """The line that a bench ends with: both rates and how many times the rival's ours is."""
    return f"{name} ours={ours:.0f} rival={rival:.0f} ratio={ours / rival:.2f}"


class Cost(NamedTuple):
    """What a process and its children used so far."""

    cpu: float
    """Seconds of CPU time, user and system."""
    rss: int
    """Octets of resident memory now."""

    def __sub__(self, before: "Cost") -> "Cost":
        """CPU since `before`; memory as it is now."""
        return Cost(self.cpu - before.cpu, self.rss)

    def __str__(self) -> str:
        return f"{self.cpu:.2f} s of CPU, {self.rss / MIB:.0f} MiB resident"


def cost(pid: int) -> Cost:
    """The cost of a running process with all its living descendants."""
    process = psutil.Process(pid)
    family = [process, *process.children(recursive=True)]
    times = [member.cpu_times() for member in family]
    return Cost(sum(time.user + time.system for time in times), sum(member.memory_info().rss for member in family))
