"""Staying attached, with a service that tells nothing by itself."""

import asyncio

import grpc
import pytest

from forebay.client.conduitservice.attaching import Attaching
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime import UnavailableError
from forebay.runtime.cutcalls import failed

ENDS = failed("the service stops: attach again")


class QuietCall:
    """A stream that says who the client is, and then nothing until it is cancelled."""

    def __init__(self) -> None:
        self.told = False
        self.cancelled = asyncio.Event()

    async def read(self) -> pb.AttachResponse:
        if not self.told:
            self.told = True
            return pb.AttachResponse(client=b"me", peer_id=b"node")
        await self.cancelled.wait()
        raise asyncio.CancelledError

    def cancel(self) -> None:
        self.cancelled.set()


class QuietService:
    def Attach(self, request: pb.AttachRequest) -> QuietCall:  # noqa: N802
        return QuietCall()


async def test_a_stream_that_hears_first_of_the_end_tells_the_attachment_why():
    attaching = Attaching(QuietService(), "test", patience=0)
    await attaching.begin()
    attaching.cut(b"me", ENDS)
    with pytest.raises(UnavailableError, match="the service stops: attach again"):
        await anext(attaching.events())
    await attaching.close()


async def test_what_broke_for_an_earlier_client_cuts_nothing():
    attaching = Attaching(QuietService(), "test", patience=0)
    await attaching.begin()
    attaching.cut(b"another", ENDS)
    assert await attaching.attached() == b"me"
    assert attaching.attachments == 1
    await attaching.close()


class Undeclarable:
    """Its declaration is under way until it is cancelled; then the service is heard to refuse it."""

    writes = over = False

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def declare(self, stub: QuietService, client: bytes) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            # As gRPC does when the call fails at that moment.
            raise failed("there is no such resource", grpc.StatusCode.NOT_FOUND) from None

    def lost(self) -> None:
        pass

    def fail(self, error: Exception) -> None:
        pass


async def test_it_can_be_closed_while_a_declaration_is_refused():
    attaching = Attaching(QuietService(), "test")
    await attaching.begin()
    attaching.kept[1] = kept = Undeclarable()
    attaching.cut(b"me", ENDS)
    await kept.begun.wait()
    await asyncio.wait_for(attaching.close(), 5)
