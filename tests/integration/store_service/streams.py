"""Raw streams to a store, for what a client of ours never sends."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub
from forebay.runtime import ServiceError, from_rpc_error
from forebay.runtime.grpcserver import LARGE_MESSAGE_LIMIT


@asynccontextmanager
async def stub_of(server) -> AsyncIterator[StoreServiceStub]:
    options = [("grpc.max_send_message_length", 2 * LARGE_MESSAGE_LIMIT), ("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(server.address, options) as channel:
        yield StoreServiceStub(channel)


@asynccontextmanager
async def raw_publish(server) -> AsyncIterator[grpc.aio.StreamStreamCall]:
    """A Publish whose requests are octets."""
    async with grpc.aio.insecure_channel(server.address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        method = f"/{pb.DESCRIPTOR.services_by_name['StoreService'].full_name}/Publish"
        yield channel.stream_stream(method, response_deserializer=pb.PublishResponse.FromString)()


def batch(first, *bodies, address="orders.eu", publisher=""):
    messages = [pb.Message(address=address, body=body) for body in bodies]
    return pb.PublishRequest(publisher=publisher, first=first, messages=messages)


def settlement(first, count=1, disposition=pb.DISPOSITION_ACK):
    run = pb.Settlement(first=first, count=count, disposition=disposition)
    return pb.ConsumeRequest(settlements=[run])


def start(queue="orders", credit=100, **more):
    return pb.ConsumeRequest(start=pb.ConsumeStart(queue=queue, credit=credit, **more))


async def confirms_of(call, count) -> list[pb.Confirm]:
    """Confirms for so many messages."""
    found = []
    while sum(confirm.count for confirm in found) < count:
        found += (await call.read()).confirms
    return found


async def deliveries_of(call, count) -> list[pb.Delivery]:
    """So many deliveries."""
    found = []
    while len(found) < count:
        response = await call.read()
        assert response is not grpc.aio.EOF, await call.details()
        found += response.deliveries
    return found


async def refusal(call) -> ServiceError:
    """What ends a stream, whatever comes before."""
    _, failure = await rest_of(call)
    assert failure is not None, "it ended well"
    return failure


async def rest_of(call):
    """All responses to the end of a stream, and what ended it; None: it ended well."""
    responses = []
    try:
        while (response := await call.read()) is not grpc.aio.EOF:
            responses.append(response)
    except grpc.aio.AioRpcError as error:
        return responses, from_rpc_error(error)
    return responses, None
