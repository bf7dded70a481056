"""`forebay serve store` as a process of its own, with its data on disk."""

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.request import urlopen

from eventually import eventually
from ports import free_port
from processes import Running

FOREBAY = Path(sys.executable).with_name("forebay")
NAME = "hub"


class StoreCommand:
    """One Store with its queues, each given by name with its spec."""

    def __init__(self, folder: Path, queues: Mapping[str, Mapping[str, object]], **spec: object) -> None:
        self.folder = folder
        self.port = free_port()
        self.http = free_port()
        listeners = {"grpc": {"port": self.port}, "health": {"port": self.http}}
        manifests = [
            manifest("Store", NAME, {"listeners": listeners, **spec}),
            *(manifest("StoreQueue", name, {"storeRef": {"name": NAME}, **queue}) for name, queue in queues.items()),
        ]
        (folder / "manifests").mkdir()
        (folder / "manifests" / "store.yaml").write_text("\n---\n".join(map(json.dumps, manifests)))

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self.running.process.pid

    async def start(self) -> None:
        """Start it and wait until it serves, which may take long where it has much to read."""
        command = [FOREBAY, "serve", "store", "-f", self.folder / "manifests", "--data", self.folder / "data"]
        self.running = Running(command, self.folder / "log")
        await eventually(self.serves, within=300)

    def serves(self) -> bool:
        if not self.running.running:
            raise RuntimeError(f"the store ended by itself: {self.running.tail()}")
        try:
            with urlopen(f"http://127.0.0.1:{self.http}/readyz", timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    async def kill(self) -> None:
        """End it as a power loss does."""
        await asyncio.to_thread(self.running.kill)


def manifest(kind: str, name: str, spec: Mapping[str, object]) -> dict[str, object]:
    return {"apiVersion": "forebay.dev/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


@asynccontextmanager
async def run_store(
    queues: Mapping[str, Mapping[str, object]], parent: Path | None = None, **spec: object
) -> AsyncIterator[StoreCommand]:
    """A running store whose folder, in `parent`, is gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="store-", dir=parent))
    command = StoreCommand(folder, queues, **spec)
    try:
        await command.start()
        yield command
    finally:
        await command.kill()
        shutil.rmtree(folder)
