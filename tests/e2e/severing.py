"""Cuts a pod off from all others, where its node is this machine."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import missing
from kubeaccess import program

TABLE = "severed"
RULES = f"""
table inet {TABLE} {{
  chain in {{ type filter hook input priority -300; policy drop; iifname lo accept; }}
  chain out {{ type filter hook output priority -300; policy drop; oifname lo accept; }}
}}
"""


@contextmanager
def severed(uid: str) -> Iterator[None]:
    """Drop every packet to and from the pod of that uid; its own loopback works."""
    process = process_of(uid)
    if process is None or os.geteuid() != 0 or not program("nft"):
        missing("needs pods whose node is this machine, root and nft")
    in_network(process, "nft", "-f", "-", rules=RULES)
    # The container may end meanwhile; the pod's network is that of its sandbox.
    network = os.open(f"/proc/{process}/ns/net", os.O_RDONLY)
    try:
        yield
    finally:
        entered = ["nsenter", f"--net=/proc/self/fd/{network}", "nft", "delete", "table", "inet", TABLE]
        subprocess.run(entered, check=True, pass_fds=[network])
        os.close(network)


def process_of(uid: str) -> int | None:
    """A process of that pod."""
    names = uid, uid.replace("-", "_")
    for path in Path("/proc").glob("[0-9]*/cgroup"):
        try:
            text = path.read_text()
        except OSError:
            continue  # it has ended
        if any(name in text for name in names):
            return int(path.parent.name)
    return None


def in_network(process: int, *command: str, rules: str) -> None:
    subprocess.run(["nsenter", f"--net=/proc/{process}/ns/net", *command], input=rules, text=True, check=True)
