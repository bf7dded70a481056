"""Publishes numbers to a store, one at a time, and consumes them; ends when its input does.

For use within a pod: `python -c PROGRAM ADDRESS`. Each line says what happened to a number, and when.
"""

import asyncio
import sys
import time
from itertools import count
from pathlib import Path

from forebay.client import Store
from forebay.client.store import make_message

QUEUE = "orders"


def tell(what: str, body: bytes) -> None:
    sys.stdout.write(f"{what} {body.decode()} {time.time()}\n")
    sys.stdout.flush()


async def publish(store: Store, ending: asyncio.Event) -> None:
    async with store.publisher() as publisher:
        for number in count():
            if ending.is_set():
                return
            body = b"%d" % number
            tell("sent", body)
            await publisher.publish(make_message(QUEUE, body))
            tell("confirmed", body)


async def consume(store: Store) -> None:
    async with store.consume(QUEUE, prefetch=10) as orders:
        async for delivery in orders:
            tell("delivered", delivery.body)
            delivery.ack()
            if await orders.flush():
                tell("settled", delivery.body)


async def main(address: str) -> None:
    ending = asyncio.Event()
    async with Store.connect(address, Path("/etc/forebay/tls")) as store:
        consuming = asyncio.ensure_future(consume(store))
        publishing = asyncio.ensure_future(publish(store, ending))
        reading = asyncio.ensure_future(asyncio.to_thread(sys.stdin.read))
        done, _ = await asyncio.wait([consuming, publishing, reading], return_when=asyncio.FIRST_COMPLETED)
        for task in done - {reading}:
            task.result()  # none of them ends by itself
        ending.set()
        await publishing
        consuming.cancel()
        await asyncio.gather(consuming, return_exceptions=True)


asyncio.run(main(sys.argv[1]))
