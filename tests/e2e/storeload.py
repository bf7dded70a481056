"""Publishes numbers to a store from within a pod, one at a time; prints each once it is confirmed, with the time."""

import asyncio
import sys
import time
from pathlib import Path

from forebay.client import Store
from forebay.client.store import make_message


async def main(address: str, count: int) -> None:
    async with Store.connect(address, Path("/etc/forebay/tls")) as store, store.publisher("load") as publisher:
        for number in range(count):
            await publisher.publish(make_message("orders", b"%d" % number))
            print(number, time.time(), flush=True)  # noqa: T201 - the test reads it


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
