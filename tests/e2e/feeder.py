"""Offers articles at a steady pace, and prints what becomes of each. Run within a pod: ADDRESS COUNT LENGTH.

LENGTH is how long message-ids are at least.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from uuid import uuid4

from forebay.client import OutfeedClient

RUN = uuid4().hex[:8]
ids: list[str] = []


async def articles(count: int, length: int) -> AsyncIterator[bytes]:
    for number in range(count):
        name = f"{RUN}.{number}@e2e.example"
        ids.append(f"<{name.rjust(length - 2, 'x')}>")
        await asyncio.sleep(0.004)
        head = f"Path: e2e!not\r\nFrom: a@b.example\r\nNewsgroups: misc.test\r\nSubject: {number}\r\n"
        date = format_datetime(datetime.now(UTC))
        yield f"{head}Message-ID: {ids[-1]}\r\nDate: {date}\r\n\r\nHello.\r\n".encode()


async def main(address: str, count: int, length: int) -> None:
    async with OutfeedClient.connect(address, tls=Path("/etc/forebay/tls")) as client:
        async for verdict in client.offer(articles(count, length)):
            for number in range(verdict.first, verdict.first + verdict.count):
                print(ids[number], verdict.outcome, flush=True)  # noqa: T201


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
