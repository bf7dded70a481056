"""verify-messages on two cores beside a plain read of the same files: `python -m bench.verify_bench` in tests/.

0.8 GB of articles of 4000 octets; SCALE=10 for 8 GB. The files are read from the disk: their pages are dropped before.
"""

import asyncio
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from bench.common import MIB, ratio_line
from bench.sparkjobs import job, warmed_up
from datafolders import message_files, opened
from forebay.msgstore import StoreSettings

ARTICLES = 250_000 * int(os.environ.get("SCALE", "1"))
SIZE = 4000
BATCH = 1000
ROUNDS = 3


async def fill(folder: Path) -> None:
    """Both peers need half of the articles, none the others."""
    async with opened(folder, StoreSettings()) as data:
        for first in range(0, ARTICLES, BATCH):
            await data.accept(first, BATCH, SIZE)
            await data.release(range(first, first + BATCH // 2))


def drop_pages(files: list[Path]) -> None:
    for file in files:
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def read_plainly(files: list[Path]) -> float:
    began = time.perf_counter()
    for file in files:
        with file.open("rb", buffering=0) as opened_file:
            while opened_file.read(MIB):
                pass
    return time.perf_counter() - began


def verify(folder: Path) -> float:
    """Seconds from when Spark is up."""
    command = job("verify-messages", "--data", str(folder))
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures = json.loads(done.stdout.splitlines()[-1])["figures"]
    print(f"  verify: {figures['seconds']:.1f} s, and {figures['startSeconds']:.1f} s to start Spark", flush=True)
    return float(figures["seconds"])


def main() -> None:
    # Not in memory: it is a disk that is read.
    with tempfile.TemporaryDirectory(prefix="bench-", dir="/var/tmp") as name:
        folder = Path(name)
        asyncio.run(fill(folder))
        files = message_files(folder)
        octets = sum(file.stat().st_size for file in files)
        plain, ours = [], []
        for _ in range(ROUNDS):
            drop_pages(files)
            plain.append(octets / read_plainly(files) / 1e6)
            drop_pages(files)
            ours.append(octets / verify(folder) / 1e6)
        print(f"  {octets / 1e9:.1f} GB in {len(files)} files, MB/s")
        print(ratio_line("verify", max(ours), max(plain)))


if __name__ == "__main__":
    with warmed_up():
        main()
