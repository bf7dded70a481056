"""Calls of this router to others over gRPC."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.runtime.channel import ClientChannel
from forebay.runtime.cutcalls import cut_off, failed
from forebay.runtime.errors import AlreadyExistsError

LINK = f"/{pb.DESCRIPTOR.services_by_name['RouterService'].full_name}/Link"

Call = grpc.aio.StreamStreamCall[Any, pb.LinkRequest]


@contextmanager
def calling(channel: ClientChannel) -> Iterator[Call]:
    """A stream to whoever is there, which ends with this."""
    make = channel.get().stream_stream(LINK, pb.LinkRequest.SerializeToString, pb.LinkRequest.FromString)
    call: Call = make()
    try:
        yield call
    finally:
        call.cancel()


async def incoming(call: Call) -> AsyncIterator[pb.LinkRequest]:
    """What comes. Raises `AioRpcError` at its end."""
    while True:
        yield await read(call)


async def read(call: Call) -> pb.LinkRequest:
    """What comes next. Raises `AioRpcError` when nothing does."""
    told: Any = await call.read()
    if told is grpc.aio.EOF:
        raise failed("the other router has ended the link")
    request: pb.LinkRequest = told
    return request


@contextmanager
def given_up() -> Iterator[None]:
    """A stream that was cancelled on our side has failed; for gRPC, and its caller, it would be cancelled."""
    try:
        with cut_off(lambda: AlreadyExistsError("another link to the same router is in use")):
            yield
    except asyncio.InvalidStateError:
        raise failed("the link has ended") from None
