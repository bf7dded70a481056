"""Many processes with many threads."""

import asyncio
from contextlib import AsyncExitStack

from forebay.client.router import Process
from routers import running_router
from threads import Inbox

THREADS = 10


async def test_many_processes_of_ten_threads_each(scale):
    count = 100 * scale
    async with running_router() as router, AsyncExitStack() as stack:
        inboxes = []

        async def begin(number):
            process = await stack.enter_async_context(Process.connect(router.address, f"process-{number}"))
            for thread in range(THREADS):
                inbox = Inbox()
                inboxes.append(inbox)
                await process.thread(f"thread-{number}-{thread}", inbox)
            return process

        processes = []
        for number in range(0, count, 50):
            processes += await asyncio.gather(*(begin(each) for each in range(number, min(number + 50, count))))
        assert len(router.switch.registry) == count * THREADS
        for number, process in enumerate(processes):
            for thread in range(THREADS):
                sender = process.threads[f"thread-{number}-{thread}"]
                sender.send(f"thread-{(number + 1) % count}-{thread}", "m")
        for inbox in inboxes:
            await inbox.got(1)
