"""Routers that are killed with -9, one after the other, under load."""

import asyncio
from contextlib import AsyncExitStack
from random import Random

import pytest

from conftest import SCALE
from eventually import eventually
from forebay.client.router import Dropped, OutboxSettings, Process, ProcessSettings
from forebay.runtime import BackoffSettings
from ports import free_port
from routerprocess import router_process
from threads import Inbox

SETTINGS = ProcessSettings(
    farewell=10.0, backoff=BackoffSettings(0.05, 0.2), outbox=OutboxSettings(repeat=0.5, longest_repeat=1.0)
)
KILLS = 3 * SCALE

pytestmark = pytest.mark.timeout(120 * SCALE)


async def test_each_message_is_handled_once_or_its_sender_is_told():
    random = Random(1)
    ports = [free_port() for _ in range(3)]
    addresses = [f"127.0.0.1:{port}" for port in ports]
    async with AsyncExitStack() as stack:
        routers = [
            await stack.enter_async_context(
                router_process(port, f"router-{number}", "local", *(addresses[:number] + addresses[number + 1 :]))
            )
            for number, port in enumerate(ports)
        ]
        inboxes, senders = [], []
        for number in range(3):
            order = addresses[number:] + addresses[:number]
            process = await stack.enter_async_context(Process.connect(order, f"process-{number}", settings=SETTINGS))
            inbox = Inbox()
            inboxes.append(inbox)
            senders.append(await process.thread(f"thread-{number}", inbox, on_event=inbox.on_event))
        sent = {}

        async def send(number):
            """To the next thread, until all routers have been killed."""
            recipient = (number + 1) % 3
            while not over.is_set():
                body = f"{number} {len(sent)}"
                sent[body] = recipient
                senders[number].send(f"thread-{recipient}", "m", body.encode())
                await senders[number].drain()
                await asyncio.sleep(0.0005)

        over = asyncio.Event()
        sending = [asyncio.ensure_future(send(number)) for number in range(3)]
        for kill in range(KILLS):
            victim = routers[kill % 3]
            before = len(inboxes[0].messages)
            await victim.kill()
            await asyncio.sleep(random.random())
            await victim.start()
            await eventually(lambda before=before: len(inboxes[0].messages) > before + 50)
        over.set()
        await asyncio.gather(*sending)
        for sender in senders:
            await sender._process.flush()
        dropped = sum(len(inbox.told_of(Dropped)) for inbox in inboxes)
        await eventually(lambda: sum(len(inbox.messages) for inbox in inboxes) >= len(sent) - dropped)
        for number, inbox in enumerate(inboxes):
            bodies = [body.decode() for body in inbox.bodies]
            assert len(set(bodies)) == len(bodies)
            assert all(sent[body] == number for body in bodies)
            order = [int(body.split()[1]) for body in bodies]
            assert order == sorted(order)
