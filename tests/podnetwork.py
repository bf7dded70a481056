"""A network of pods on this machine: a bridge, an address for each pod, and a file of their Services' names."""

import os
import re
import shutil
import subprocess
from ipaddress import IPv4Network, ip_address
from itertools import count
from pathlib import Path

RANGE = IPv4Network("100.64.0.0/10")
"""Addresses that no machine has of itself (RFC 6598)."""
TOOLS = ("ip", "unshare", "nsenter", "mount", "chroot")


def lacking() -> str:
    """Why no pods can be run here; empty when they can."""
    if os.geteuid() != 0:
        return "needs root, for the network namespaces of pods"
    absent = [tool for tool in TOOLS if not shutil.which(tool)]
    return f"needs {', '.join(absent)}: apt-get install iproute2 util-linux" if absent else ""


class PodNetwork:
    """The bridge of one test run. The machine itself has the first address."""

    def __init__(self) -> None:
        remove_old()
        self.bridge = f"fb{os.getpid()}"
        self.network = free_network()
        self.gateway = str(self.network[1])
        self.addresses = self.network.hosts()
        next(self.addresses)
        self.cables = count()
        batch(
            f"link add {self.bridge} type bridge",
            f"addr add {self.gateway}/{self.network.prefixlen} dev {self.bridge}",
            f"link set {self.bridge} up",
        )

    def address(self) -> str:
        """An address that no pod had before."""
        return str(next(self.addresses))

    def connect(self, process: int, address: str) -> None:
        """Put an end of a cable, named eth0, into the network namespace of a process."""
        cable = f"{self.bridge}p{next(self.cables):x}"
        # The same one for the same address, so that nobody remembers another after a restart.
        hardware = "02:fb:" + ":".join(f"{octet:02x}" for octet in ip_address(address).packed)
        batch(
            f"link add {cable} type veth peer name eth0 address {hardware} netns {process}",
            f"link set {cable} master {self.bridge} up",
        )

    def close(self) -> None:
        """Remove the bridge. The cables went with their namespaces."""
        batch(f"link del {self.bridge}")


def batch(*commands: str) -> None:
    subprocess.run(["ip", "-batch", "-"], input="\n".join(commands), text=True, check=True, capture_output=True)


def free_network() -> IPv4Network:
    """One of 4096 addresses that nothing on this machine uses."""
    used = subprocess.run(["ip", "-o", "-4", "addr"], text=True, check=True, capture_output=True).stdout
    networks = list(RANGE.subnets(new_prefix=20))
    first = os.getpid() % len(networks)
    return next(net for net in networks[first:] + networks[:first] if f" {net[1]}/" not in used)


def remove_old() -> None:
    """Remove the bridges of test runs that were killed."""
    links = subprocess.run(["ip", "-br", "link"], text=True, check=True, capture_output=True).stdout
    for name, process in re.findall(r"^(fb(\d+))\s", links, re.MULTILINE):
        if not Path(f"/proc/{process}").exists():
            subprocess.run(["ip", "link", "del", name], check=False, capture_output=True)
