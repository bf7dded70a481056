"""What every call passes through, over a real connection."""

import asyncio

import grpc
import pytest
from grpc.aio import AioRpcError
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from eventually import eventually
from forebay.runtime import (
    DeadlineSettings,
    GrpcSettings,
    Host,
    HostSettings,
    InternalError,
    InvalidArgumentError,
    UnavailableError,
    from_rpc_error,
)

from .echo import NAME, connected, hosted


async def sent(*requests):
    for request in requests:
        yield request


KINDS = {
    "unary": lambda client, request: client.unary()(request),
    "stream": lambda client, request: gathered(client.stream()(request)),
    "collect": lambda client, request: client.collect()(sent(request)),
    "chat": lambda client, request: gathered(client.chat()(sent(request))),
    "write": lambda client, request: gathered(client.chat("Write")(sent(request))),
}


async def gathered(call):
    return b" ".join([response async for response in call])


@pytest.fixture(params=KINDS)
def call(request, client):
    return lambda words: KINDS[request.param](client, words)


async def test_every_kind_of_call_works(call):
    assert await call(b"hello") == b"hello"


async def test_an_unexpected_error_hides_its_text(call):
    with pytest.raises(AioRpcError) as caught:
        await call(b"crash")
    error = from_rpc_error(caught.value)
    assert isinstance(error, InternalError)
    assert error.facts["error_id"] in error.message
    assert "hunter2" not in str(caught.value)
    assert "ValueError" not in str(caught.value)


async def test_a_services_own_error_arrives_with_its_details(call):
    with pytest.raises(AioRpcError) as caught:
        await call(b"refuse")
    error = from_rpc_error(caught.value)
    assert isinstance(error, InvalidArgumentError)
    assert error.reason == "SIZE_ZERO"
    assert error.violations[0].field == "spec.size"
    assert caught.value.details() == "cannot do that"


async def test_a_method_left_out_is_unimplemented(client):
    with pytest.raises(AioRpcError) as caught:
        await client.unary("Missing")(b"")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_method_that_does_not_exist_is_unimplemented(client):
    with pytest.raises(AioRpcError) as caught:
        await client.unary("Nothing")(b"")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_call_without_a_deadline_gets_the_default(service):
    settings = HostSettings(grpc=GrpcSettings(deadlines=DeadlineSettings(default=0.1)))
    async with hosted(service, settings) as host, connected(host) as client:
        with pytest.raises(AioRpcError) as caught:
            await client.unary()(b"sleep")
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert "not done within 0.1 s" in caught.value.details()
        assert service.events[-1] == "woken"


async def test_no_deadline_exceeds_the_longest(service):
    settings = HostSettings(grpc=GrpcSettings(deadlines=DeadlineSettings(longest=0.1)))
    async with hosted(service, settings) as host, connected(host) as client:
        with pytest.raises(AioRpcError) as caught:
            await client.unary()(b"sleep", timeout=60)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_the_clients_own_deadline_cancels_the_call(client, service):
    with pytest.raises(AioRpcError) as caught:
        await client.unary()(b"sleep", timeout=0.1)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    await eventually(lambda: service.events[-1] == "woken")


async def test_a_stream_has_no_deadline_of_ours(service):
    settings = HostSettings(grpc=GrpcSettings(deadlines=DeadlineSettings(default=0.05, longest=0.05)))
    async with hosted(service, settings) as host, connected(host) as client:
        chat = client.chat()()
        await chat.write(b"one")
        assert await chat.read() == b"one"
        await asyncio.sleep(0.1)
        await chat.write(b"two")
        assert await chat.read() == b"two"
        await chat.done_writing()


async def test_a_timeout_inside_a_call_is_no_deadline(client):
    with pytest.raises(AioRpcError) as caught:
        await client.call(b"timeout")
    assert caught.value.code() is grpc.StatusCode.INTERNAL


async def test_a_message_over_the_limit_is_refused_and_the_connection_goes_on(service):
    settings = HostSettings(grpc=GrpcSettings(receive_limit=1000))
    async with hosted(service, settings) as host, connected(host) as client:
        with pytest.raises(AioRpcError) as caught:
            await client.call(b"x" * 2000)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert await client.call(b"y") == b"y"


async def test_calls_over_the_limit_are_refused(service):
    settings = HostSettings(grpc=GrpcSettings(concurrent_calls=2))
    async with hosted(service, settings) as host, connected(host) as client:
        chats = [client.chat()() for _ in range(2)]
        for chat in chats:
            await chat.write(b"one")
            await chat.read()
        with pytest.raises(AioRpcError) as caught:
            await client.call(b"three")
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        for chat in chats:
            chat.cancel()


async def test_a_client_that_leaves_in_the_middle_of_a_stream_ends_the_call(client, service):
    chat = client.chat()()
    await chat.write(b"sleep")
    await eventually(lambda: "sleeping" in service.events)
    chat.cancel()
    await eventually(lambda: service.events[-1] == "woken")


async def test_before_the_service_is_ready_its_methods_are_unavailable(service):
    service.started.clear()
    host = Host(service)
    starting = asyncio.create_task(host.start())
    await eventually(lambda: "start" in service.events)
    async with connected(host) as client:
        with pytest.raises(AioRpcError) as caught:
            await client.call(b"early")
        service.started.set()
        await starting
        assert await client.call(b"late") == b"late"
    await host.stop()
    error = from_rpc_error(caught.value)
    assert isinstance(error, UnavailableError)
    assert (error.reason, error.retry_after) == ("STARTING", 1.0)


async def test_reflection_is_off_unless_asked_for(host, client):
    with pytest.raises(grpc.RpcError) as caught:
        await asyncio.to_thread(services_of, host.grpc_port)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_reflection_lists_all_services(service):
    async with hosted(service, HostSettings(grpc=GrpcSettings(reflection=True))) as host:
        names = await asyncio.to_thread(services_of, host.grpc_port)
    assert {NAME, "forebay.config.v1.ConfigService", "grpc.health.v1.Health"} <= set(names)


def services_of(port):
    with grpc.insecure_channel(f"localhost:{port}") as channel:
        return list(ProtoReflectionDescriptorDatabase(channel).get_services())
