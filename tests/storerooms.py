"""Real storerooms in a folder of the test, and a masterfeed over one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

from forebay.msgstore import MessageStoreError
from forebay.outfeed.storeroom import Storeroom

LOG_LIMIT = 1 << 30


@asynccontextmanager
async def opened(folder: Path, clock, *, log_limit: int = LOG_LIMIT) -> AsyncIterator[Storeroom]:
    """A storeroom that is closed at the end, whatever the test did to it."""
    storeroom = await Storeroom.open(folder, log_limit, timedelta(days=10), clock)
    try:
        yield storeroom
    finally:
        with suppress(OSError, MessageStoreError):
            await storeroom.close()


def content(name: str, *, group: str = "misc.test", size: int = 100) -> bytes:
    """A plain article of the fake clock's time; `name` makes its message-id."""
    head = (
        f"Path: here!not-for-mail\r\nFrom: a@example.org\r\nNewsgroups: {group}\r\nSubject: {name}\r\n"
        f"Date: Tue, 14 Nov 2023 22:00:00 GMT\r\nMessage-ID: <{name}@example.org>\r\n\r\n"
    )
    return head.encode() + b"x" * size + b"\r\n"


def wire(name: str, **options) -> bytes:
    return content(name, **options) + b".\r\n"


def message_id(name: str) -> bytes:
    return f"<{name}@example.org>".encode()
