"""The way to the pod of a store that is primary: every pod answers, and those that are not primary name it."""

from collections.abc import Callable

import grpc
from grpc.aio import AioRpcError

from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub
from forebay.runtime import ClientChannel, from_rpc_error

NOT_PRIMARY = "NOT_PRIMARY"
"""Reason of a pod that only keeps a copy."""
ADDRESS = "address"
"""Fact beside it: where the primary is."""


class PrimaryRoute:
    """Calls go to where the client was sent first, or to the primary once that has been named."""

    def __init__(self, channel: ClientChannel, connect: Callable[[str], ClientChannel]) -> None:
        """The channel is the route's from now on, and closed with it. connect: a channel to an address."""
        self._entry = channel
        self._connect = connect
        self._primary: ClientChannel | None = None
        self._address = ""

    def stub(self) -> StoreServiceStub:
        """For the next call or stream."""
        return StoreServiceStub((self._primary or self._entry).get())

    async def failed(self, error: AioRpcError) -> bool:
        """Learn from a call that has failed; whether another pod may do it at once."""
        failure = from_rpc_error(error)
        if failure.reason == NOT_PRIMARY and (address := failure.facts.get(ADDRESS)):
            return await self._lead_to(address)
        if self._primary and error.code() is grpc.StatusCode.UNAVAILABLE:
            # It is gone, or is primary no more: whoever answers at the door knows, or will soon.
            await self._leave()
            return True
        return False

    async def close(self) -> None:
        """End all calls and connections."""
        await self._leave()
        await self._entry.close()

    async def _lead_to(self, address: str) -> bool:
        if address == self._address:
            return False
        await self._leave()
        self._primary, self._address = self._connect(address), address
        return True

    async def _leave(self) -> None:
        primary, self._primary, self._address = self._primary, None, ""
        if primary:
            await primary.close()
