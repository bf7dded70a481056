"""A queue of millions of messages takes little memory, however it got them and whatever is done with it."""

import subprocess
import sys
from pathlib import Path

import pytest

import deepqueue

COUNT = 500_000
"""At the size for every day; ten times as many at the full size."""

LIMIT = 160 << 10
"""KiB of memory; all contents would be some 100 MB at the small size and 1 GB at the full one."""

SMALL_LIMIT = 64 << 10


@pytest.mark.parametrize("kind", ["embedded", "stored"])
def test_memory_stays_within_its_limit(tmp_path, scale, kind):
    path = str(Path(deepqueue.__file__).parent)
    command = [sys.executable, deepqueue.__file__, tmp_path, str(COUNT * scale), kind]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    grown = [int(figure) for figure in done.stdout.split()]
    assert max(grown) < (LIMIT if scale > 1 else SMALL_LIMIT), grown
