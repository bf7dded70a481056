"""A service as a process: signals, order of its end, logs."""

import asyncio
import json
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from grpc.aio import AioRpcError
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from eventually import eventually
from forebay.runtime import from_rpc_error

from .echo import Client

TESTS = Path(__file__).parents[2]


class Process:
    """A running program and the entries of its log."""

    def __init__(self, process):
        self.process = process
        self.entries = []
        self.reader = asyncio.create_task(self.read())

    async def read(self):
        async for line in self.process.stderr:
            self.entries.append(json.loads(line))

    def find(self, event):
        return next(iter(self.find_all(event)), None)

    def find_all(self, event):
        return [entry for entry in self.entries if entry["event"] == event]

    def events(self):
        return [entry["event"] for entry in self.entries]

    async def ended(self):
        async with asyncio.timeout(30):
            code = await self.process.wait()
            await self.reader
        return code


@asynccontextmanager
async def started(*arguments):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "integration.runtime.program", *arguments, cwd=TESTS, stderr=asyncio.subprocess.PIPE
    )
    program = Process(process)
    try:
        yield program
    finally:
        if process.returncode is None:
            process.kill()
        await program.ended()


@pytest.fixture
async def program():
    async with started() as program:
        yield program


@pytest.fixture
async def client(program):
    ready = await eventually(lambda: program.find("ready"))
    client = Client(ready["grpc_port"])
    yield client
    await client.channel.close()


async def test_sigterm_ends_it_in_order(program, client):
    chat = client.chat()()
    await chat.write(b"wait")
    watch = HealthStub(client.channel.get()).Watch(HealthCheckRequest())
    assert (await watch.read()).status == HealthCheckResponse.SERVING
    program.process.send_signal(signal.SIGTERM)
    assert (await watch.read()).status == HealthCheckResponse.NOT_SERVING
    with pytest.raises(AioRpcError) as caught:
        await chat.read()
    assert from_rpc_error(caught.value).reason == "DRAINING"
    assert await program.ended() == 0
    order = ["ready", "stopping", "draining", "quiesced", "calls ended", "flushed", "drained", "stopped"]
    assert [event for event in program.events() if event in order] == order
    assert "Traceback" not in json.dumps(program.entries)


async def test_sigint_ends_it_too(program, client):
    program.process.send_signal(signal.SIGINT)
    assert await program.ended() == 0


async def test_sighup_reads_the_configuration_again(program, client):
    program.process.send_signal(signal.SIGHUP)
    await eventually(lambda: program.find("reloaded"))
    assert await client.call(b"still there") == b"still there"


async def test_entries_carry_the_request_id_method_and_service(program, client):
    await client.call(b"log", metadata=(("x-request-id", "trace-me-17"),))
    entry = await eventually(lambda: program.find("worked"))
    assert entry["request_id"] == "trace-me-17"
    assert entry["method"] == "test.v1.EchoService/Unary"
    assert entry["service"] == "echo"


async def test_a_request_id_that_is_not_plain_is_replaced(program, client):
    for given in ("x" * 65, 'a"b', "a b"):
        await client.call(b"log", metadata=(("x-request-id", given),))
    entries = await eventually(lambda: len(found := program.find_all("worked")) == 3 and found)
    assert [len(entry["request_id"]) for entry in entries] == [16, 16, 16]


async def test_an_unexpected_error_is_logged_under_its_id(program, client):
    with pytest.raises(AioRpcError) as caught:
        await client.call(b"crash")
    entry = await eventually(lambda: program.find("call failed unexpectedly"))
    assert entry["error_id"] == from_rpc_error(caught.value).facts["error_id"]
    assert "ValueError" in entry["exception"]


async def test_a_crashed_task_ends_the_process_with_an_error():
    async with started("crash") as program:
        reader = program.process.stderr
        program.reader.cancel()
        text = (await reader.read()).decode()
        assert await program.process.wait() == 1
        program.reader = asyncio.create_task(asyncio.sleep(0))
    assert '"event": "drained"' in text
    assert "TaskCrashedError: task poller crashed by ValueError" in text
