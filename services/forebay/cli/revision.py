"""The revision of the configuration where no Kubernetes counts it: kept in the data folder, higher every time."""

import contextlib
from pathlib import Path

from forebay.msgstore import RealDisk, replace

NAME = "revision"


def next_revision(folder: Path, above: int = 0) -> int:
    """A revision above all that were given here before, and above another; on disk when this returns."""
    path = folder / NAME
    last = 0
    # What cannot be read was not written by us; running services know their revision, and a fresh one takes any.
    with contextlib.suppress(FileNotFoundError, ValueError):
        last = int(path.read_text())
    revision = max(last, above) + 1
    folder.mkdir(parents=True, exist_ok=True)
    replace(RealDisk(folder), NAME, f"{revision}\n".encode())
    return revision
