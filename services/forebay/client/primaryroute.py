"""The way to the pod of a store that is primary: every pod answers, and those that are not primary name it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import IntEnum
from typing import NamedTuple

import grpc
from grpc.aio import AioRpcError

from forebay.client.errors import ClosedError
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub
from forebay.runtime import ClientChannel, cutcalls, from_rpc_error

PUBLISH = f"/{pb.DESCRIPTOR.services_by_name['StoreService'].full_name}/Publish"
NOT_PRIMARY = "NOT_PRIMARY"
"""Reason of a pod that only keeps a copy."""
ADDRESS = "address"
"""Fact beside it: where the primary is."""


class Way(NamedTuple):
    """To one pod, for one call or stream."""

    stub: StoreServiceStub
    address: str
    """Where the pod is, as another has told; empty: where the client was sent first."""


class Turn(IntEnum):
    """Where a call that has failed may be made instead, at once."""

    NOWHERE = 0
    FIRST = 1
    """Where the client was sent first: whoever answers there knows the primary, or will soon."""
    PRIMARY = 2
    """At the pod that was named as primary."""


class PrimaryRoute:
    """Calls go to where the client was sent first, or to the primary once that has been named."""

    def __init__(self, channel: ClientChannel, connect: Callable[[str], ClientChannel]) -> None:
        """The channel is the route's from now on, and closed with it. connect: a channel to an address."""
        self._entry = channel
        self._connect = connect
        self._primary: ClientChannel | None = None
        self._address = ""
        self._closed = False

    def way(self) -> Way:
        """For the next call or stream, which has to be within `cut_off`: when one fails, others may be ended too."""
        return Way(_stub((self._primary or self._entry).get()), self._address)

    async def failed(self, error: AioRpcError, way: Way) -> Turn:
        """Learn from a call that went that way and has failed. Raises `ClosedError` once the route is closed."""
        if self._closed:
            raise ClosedError("the client of the store was closed") from error
        if way.address != self._address:  # another call has found out before
            return Turn.PRIMARY if self._address else Turn.FIRST
        failure = from_rpc_error(error)
        if failure.reason == NOT_PRIMARY and (address := failure.facts.get(ADDRESS)):
            return await self._lead_to(address)
        if self._primary and error.code() is grpc.StatusCode.UNAVAILABLE:
            await self._leave()
            return Turn.FIRST
        return Turn.NOWHERE

    async def close(self) -> None:
        """End all calls and connections."""
        self._closed = True
        await self._leave()
        await self._entry.close()

    async def _lead_to(self, address: str) -> Turn:
        if address == self._address:
            return Turn.NOWHERE
        await self._leave()
        self._primary, self._address = self._connect(address), address
        return Turn.PRIMARY

    async def _leave(self) -> None:
        primary, self._primary, self._address = self._primary, None, ""
        if primary:
            await primary.close()


def _stub(channel: grpc.aio.Channel) -> StoreServiceStub:
    """One whose Publish takes requests that are serialised already."""
    stub = StoreServiceStub(channel)
    stub.Publish = channel.stream_stream(PUBLISH, response_deserializer=pb.PublishResponse.FromString)
    return stub


def cut_off() -> AbstractContextManager[None]:
    """For a call whose channel may be closed meanwhile: see `cutcalls.cut_off`."""
    return cutcalls.cut_off(_demoted)


def _demoted() -> AioRpcError:
    return cutcalls.failed("the connection was closed: the pod is not primary any more", grpc.StatusCode.CANCELLED)
