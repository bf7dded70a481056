"""A process with threads in a pod: `echo`, `load` or `ask`; every line that it prints is JSON.

routerprogram.py echo ROUTER,ROUTER... TLS THREAD     answers requests, and tells of each message it handles
routerprogram.py load ROUTER,ROUTER... TLS RECIPIENT  sends numbers until a line comes on standard input
routerprogram.py ask  ROUTER,ROUTER... TLS RECIPIENT TEXT  one request; its reply, or why there is none
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

from forebay.client.router import Crashed, Dropped, DroppedError, Event, Message, NoReplyError, Process, Thread

PAUSE_SECONDS = 0.002
"""Between two numbers."""


def tell(what: str, **more: Any) -> None:
    """Write a line."""
    sys.stdout.write(json.dumps({"what": what, **more}) + "\n")
    sys.stdout.flush()


def on_event(thread: Thread, event: Event) -> None:
    """Tell of drops and crashes."""
    if isinstance(event, Dropped):
        tell("dropped", sequence=event.original_marker.sequence, notice=event.name)
    elif isinstance(event, Crashed):
        tell("crashed", threads=list(event.threads))


async def handled(thread: Thread, message: Message) -> None:
    """Tell of a number, or answer a request."""
    if message.name == "ask":
        thread.reply(message, "echo", message.body)
    else:
        tell("handled", number=int(message.body))


async def echo(process: Process, name: str) -> None:
    """Handle messages until the pod ends."""
    thread = await process.thread(name, handled, on_event=on_event)
    tell("ready", at=time.time())
    await thread.wait()


async def load(process: Process, recipient: str) -> None:
    """Send numbers until a line comes, then wait for what becomes of them."""
    thread = await process.thread("load", on_event=on_event)
    ended = asyncio.ensure_future(asyncio.to_thread(sys.stdin.readline))
    tell("ready", at=time.time())
    number = 0
    while not ended.done():
        number += 1
        thread.send(recipient, "number", str(number).encode())
        tell("sent", number=number)
        await thread.drain()
        await asyncio.sleep(PAUSE_SECONDS)
    await process.flush()
    tell("flushed")


async def ask(process: Process, recipient: str, text: str) -> None:
    """One request."""
    thread = await process.thread(f"asker-{os.getpid()}")
    try:
        reply = await thread.request(recipient, "ask", text.encode(), within=20)
    except (DroppedError, NoReplyError) as error:
        tell("failed", problem=str(error))
    else:
        tell("reply", text=reply.body.decode())


async def main(role: str, routers: str, tls: str, *arguments: str) -> None:
    """Attach and do what the role is."""
    name = f"{role}-{arguments[0].partition('@')[0]}-{os.getpid()}"
    async with Process.connect(routers.split(","), name, tls=Path(tls)) as process:
        await {"echo": echo, "load": load, "ask": ask}[role](process, *arguments)


asyncio.run(main(*sys.argv[1:]))
