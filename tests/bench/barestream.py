"""What a store's confirm of a lone message cannot be faster than: a bare gRPC stream, and one sync a message.

`python -m bench.barestream FILE` serves it and prints its port.
"""

import asyncio
import gc
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import uvloop

METHOD = "/bench.Bare/Publish"
WARM_UP = 200
"""Messages that do not count."""


class Bare(grpc.GenericRpcHandler):
    """Appends each message to a file and syncs it, in a thread, as whoever serves others meanwhile has to."""

    def __init__(self, file: int) -> None:
        self.file = file

    def service(self, details: object) -> object:
        return grpc.stream_stream_rpc_method_handler(self.publish)

    async def publish(self, requests: AsyncIterator[bytes], context: object) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        async for request in requests:
            await loop.run_in_executor(None, self.commit, request)
            yield b"confirmed"

    def commit(self, message: bytes) -> None:
        os.write(self.file, message)
        os.fdatasync(self.file)


async def serve(path: str) -> None:
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((Bare(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)),))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await server.wait_for_termination()


async def rate(folder: Path, size: int, seconds: float) -> float:
    """Messages a second that go over it one by one."""
    path = folder / "bare"
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.barestream", path),
        cwd=Path(__file__).parents[1],
        stdout=asyncio.subprocess.PIPE,
    )
    assert server.stdout
    try:
        return await published(int(await server.stdout.readline()), bytes(size), seconds)
    finally:
        server.terminate()
        await server.wait()
        path.unlink(missing_ok=True)


async def published(port: int, message: bytes, seconds: float) -> float:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.stream_stream(METHOD)()
        count, began = -WARM_UP, time.perf_counter()
        while (now := time.perf_counter()) < began + seconds:
            await call.write(message)
            await call.read()
            count += 1
            if not count:
                began = now
        call.cancel()
        return count / (now - began)


if __name__ == "__main__":
    gc.freeze()
    uvloop.run(serve(sys.argv[1]))
