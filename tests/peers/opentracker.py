"""A real opentracker (Debian's), through the script that runs it on loopback. It serves the torrents it is given."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ports import free_port


def lacking() -> str:
    """Why it cannot be run; empty: it can."""
    if shutil.which("opentracker") is None:
        return "needs opentracker: apt-get install --no-install-recommends opentracker"
    return "" if os.geteuid() == 0 else "needs root, to run opentracker as nobody"


@contextmanager
def run_opentracker(script: Path, torrents: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """Its port, over HTTP and UDP, and its process."""
    folder, port = Path(tempfile.mkdtemp(prefix="opentracker-", dir="/tmp")), free_port()
    folder.chmod(0o755)
    hashes = [torrent.hex() for torrent in torrents]
    subprocess.run(["sh", script, "start", folder, str(port), *hashes], check=True, stdout=subprocess.DEVNULL)
    try:
        yield port, int((folder / "pid").read_text())
    finally:
        subprocess.run(["sh", script, "stop", folder], check=True)
        shutil.rmtree(folder)
