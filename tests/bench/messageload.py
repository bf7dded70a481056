"""Programs that put a router, or NATS, under load: each is a process of its own, told what to do by its arguments.

    python -m bench.messageload {ours,rival} {receive,stall,send,ask} ADDRESS MESSAGES OCTETS

They write a line of JSON when they are ready, and one when they are done.
"""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

import uvloop

from bench.programs import tell, told_to_go_on

WARM_UP = 200
"""Requests that do not count."""
BATCH = 256
"""Messages that are sent before the sender looks whether it has to wait."""


async def asked(ask: Callable[[], Awaitable[Any]], count: int) -> None:
    """With each line that comes, ask so often, one after the other, and tell how long each took."""
    for _ in range(WARM_UP):
        await ask()
    tell(ready=True)
    while await asyncio.to_thread(sys.stdin.readline):
        seconds = []
        for _ in range(count):
            began = time.perf_counter()
            await ask()
            seconds.append(time.perf_counter() - began)
        tell(seconds=seconds)


# Ours.


async def ours_receive(address: str, messages: int, octets: int) -> None:
    from forebay.client.router import Message, Process, Thread

    got = 0
    done = asyncio.Event()

    async def handler(thread: Thread, message: Message) -> None:
        nonlocal got
        got += 1
        if message.name == "ask":
            thread.reply(message, "answer", message.body)
        elif got == messages:
            done.set()

    async with Process.connect(address, f"receiver-{os.getpid()}") as process:
        await process.thread("receiver", handler)
        tell(ready=True)
        await done.wait()
        tell(at=time.monotonic(), got=got)


async def ours_stall(address: str, messages: int, octets: int) -> None:
    """Handles nothing until a line comes, then everything."""
    from forebay.client.router import Message, Process, Thread

    going, done = asyncio.Event(), asyncio.Event()
    got = 0

    async def handler(thread: Thread, message: Message) -> None:
        nonlocal got
        await going.wait()
        got += 1
        if message.name == "last":
            done.set()

    async with Process.connect(address, f"stalled-{os.getpid()}") as process:
        await process.thread("stalled", handler)
        tell(ready=True)
        await told_to_go_on()
        going.set()
        await done.wait()
        tell(got=got)


async def ours_send(address: str, messages: int, octets: int) -> None:
    from forebay.client.router import Process

    body = bytes(octets)
    async with Process.connect(address, f"sender-{os.getpid()}") as process:
        sender = await process.thread("sender")
        began = time.monotonic()
        for first in range(0, messages, BATCH):
            for _ in range(min(BATCH, messages - first)):
                sender.send("receiver", "m", body)
            await sender.drain()
        await process.flush()
        tell(at=began)


async def ours_flood(address: str, messages: int, octets: int) -> None:
    """Send to the one that is stalled; tell how many could be sent before the sender had to wait for long."""
    from forebay.client.router import Process

    body = bytes(octets)
    async with Process.connect(address, f"flood-{os.getpid()}") as process:
        sender = await process.thread("flood")
        sent = 0
        tell(ready=True)
        while sent < messages:
            for _ in range(BATCH):
                sender.send("stalled", "m", body)
            sent += BATCH
            try:
                async with asyncio.timeout(2.0):
                    await sender.drain()
            except TimeoutError:
                break
        tell(sent=sent)
        await told_to_go_on()
        sender.send("stalled", "last")
        await process.flush()


async def ours_ask(address: str, messages: int, octets: int) -> None:
    from forebay.client.router import Process

    body = bytes(octets)
    async with Process.connect(address, f"asker-{os.getpid()}") as process:
        asker = await process.thread("asker")
        await asked(lambda: asker.request("receiver", "ask", body), messages)


async def ours_inside(address: str, messages: int, octets: int) -> None:
    """Messages between two threads of one process."""
    from forebay.client.router import Message, Process, Thread

    body, got, done = bytes(octets), 0, asyncio.Event()

    async def handler(thread: Thread, message: Message) -> None:
        nonlocal got
        got += 1
        if got == messages:
            done.set()

    async with Process.connect(address, f"inside-{os.getpid()}") as process:
        await process.thread("inside", handler)
        sender = await process.thread("outside")
        began = time.monotonic()
        for first in range(0, messages, BATCH):
            for _ in range(min(BATCH, messages - first)):
                sender.send("inside", "m", body)
            await sender.drain()
        await done.wait()
        tell(rate=messages / (time.monotonic() - began))


# The rival.


async def rival_receive(address: str, messages: int, octets: int) -> None:
    import nats

    client = await nats.connect(f"nats://{address}")
    got = 0
    done = asyncio.Event()

    async def handler(message: Any) -> None:
        nonlocal got
        got += 1
        if message.reply:
            await message.respond(message.data)
        elif got == messages:
            done.set()

    await client.subscribe("receiver", cb=handler)
    await client.flush()
    tell(ready=True)
    await done.wait()
    tell(at=time.monotonic(), got=got)
    await client.close()


async def rival_send(address: str, messages: int, octets: int) -> None:
    import nats

    client = await nats.connect(f"nats://{address}")
    body = bytes(octets)
    began = time.monotonic()
    for _ in range(messages):
        await client.publish("receiver", body)
    await client.flush(timeout=120)
    tell(at=began)
    await client.close()


async def rival_ask(address: str, messages: int, octets: int) -> None:
    import nats

    client = await nats.connect(f"nats://{address}")
    body = bytes(octets)
    await asked(lambda: client.request("receiver", body, timeout=10), messages)
    await client.close()


async def rival_flood(address: str, messages: int, octets: int) -> None:
    """Send to the one that is stalled; the server tells nothing of it."""
    import nats

    client = await nats.connect(f"nats://{address}")
    body = bytes(octets)
    tell(ready=True)
    for number in range(messages):
        await client.publish("stalled", body)
        if not number % 1000:
            await client.flush(timeout=120)
    await client.flush(timeout=120)
    tell(sent=messages)
    await told_to_go_on()
    await client.close()


async def rival_stall(address: str, messages: int, octets: int) -> None:
    """A socket that does not read until a line comes; then it counts what it gets until the end."""
    import socket

    host, _, port = address.partition(":")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.connect((host, int(port)))
        connection.sendall(b'CONNECT {"verbose":false}\r\nSUB stalled 1\r\nPING\r\n')
        while b"PONG" not in connection.recv(4096):
            pass
        tell(ready=True)
        await told_to_go_on()
        connection.settimeout(3.0)
        got = 0
        try:
            while data := connection.recv(1 << 20):
                got += data.count(b"MSG stalled")
        except (TimeoutError, ConnectionError):
            pass
        tell(got=got)


def main() -> None:
    side, role, address, messages, octets = sys.argv[1:]
    uvloop.run(globals()[f"{side}_{role}"](address, int(messages), int(octets)))


if __name__ == "__main__":
    main()
