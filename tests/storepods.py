"""A store of several pods, each a process, with a stand-in for the API server that has their lease."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from grpc.aio import AioRpcError, insecure_channel

from eventually import eventually
from forebay.pb.store.v1 import store_pb2 as pb
from kubestandin import TOKEN, KubeStandIn
from ports import free_port
from storecalls import queues
from storeserver import IDENTITY, Pods, StoreServer


class StorePods:
    """`start` and `close` frame its use.

    In between a pod that ends since it has lost its lease is started again, as on a node of Kubernetes: leases are
    short here, and a busy machine may stall a process for as long.
    """

    def __init__(self, folder: Path, mirrors: int = 2, **spec: Any) -> None:
        self.api = KubeStandIn()
        self.names = [f"main-{number}" for number in range(mirrors + 1)]
        self.pods = {name: StoreServer(folder / name, mirrors=mirrors, **spec) for name in self.names}
        self._account = folder / "account"
        self._ports = {name: free_port() for name in self.names}
        self._node: asyncio.Task[None] | None = None
        for path in (self._account, *(folder / name for name in self.names)):
            path.mkdir()
        (self._account / "token").write_text(TOKEN)
        (self._account / "namespace").write_text(IDENTITY[0])
        first = self.pods[self.names[0]]
        for server in self.pods.values():
            server.uids, server.queues = first.uids, first.queues

    def queue(self, name: str, **spec: Any) -> None:
        self.pods[self.names[0]].queue(name, **spec)

    async def start(self, *order: str) -> None:
        """Start the pods, in that order if one is given."""
        await self.api.start()
        self._node = asyncio.create_task(self._start_again())
        for name in order or self.names:
            server = self.pods[name]
            server.join(Pods(name, self._ports, f"http://127.0.0.1:{self.api.port}", self._account))
            await server.start()
        await self.opened()

    async def close(self) -> None:
        if self._node:
            self._node.cancel()
            await asyncio.gather(self._node, return_exceptions=True)
        for server in self.pods.values():
            await server.close()
        await self.api.stop()

    @property
    def lease(self) -> dict[str, Any]:
        found: dict[str, Any] = self.api.objects.get(IDENTITY[1], {})
        return found

    @property
    def holder(self) -> str:
        return str(self.lease.get("spec", {}).get("holderIdentity", ""))

    @property
    def members(self) -> list[str]:
        """Who may be primary."""
        return self.lease.get("metadata", {}).get("annotations", {}).get("forebay.dev/note", "").split(",")

    @property
    def primary(self) -> StoreServer:
        return self.pods[self.holder]

    async def whole(self, names: Sequence[str] | None = None, within: float = 60) -> None:
        """Wait until all these pods have everything."""
        wanted = set(names or self.names)
        await eventually(lambda: wanted <= set(self.members), within=within)

    async def left_out(self, name: str) -> None:
        """Wait until a pod is no longer among those that may be primary."""
        await eventually(lambda: name not in self.members, within=60)

    async def led_by_another(self, than: str) -> StoreServer:
        """Wait until another pod is primary, and open."""
        await eventually(lambda: self.holder not in ("", than), within=60)
        await self.opened()
        return self.primary

    async def opened(self) -> None:
        """Wait until all queues of the primary are at work."""
        try:
            await eventually(self._is_open, within=60)
        except AssertionError as error:
            for name, server in self.pods.items():
                error.add_note(f"{name}: {server.log_text()[-3000:]}")
            raise

    async def _start_again(self) -> None:
        while True:
            for server in self.pods.values():
                if server.is_deposed:
                    await server.start()
            await asyncio.sleep(0.1)

    async def _is_open(self) -> bool:
        with suppress(AioRpcError, KeyError):  # nobody is primary yet
            async with insecure_channel(self.primary.address) as channel:
                return all(queue.state == pb.QUEUE_STATE_RUNNING for queue in (await queues(channel)).values())
        return False
