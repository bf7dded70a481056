"""Records for feed logs under test, and logs on disks in memory."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from forebay.feedlog.logsegment import LogRecord
from forebay.msgstore.disk import Disk
from forebay.msgstore.errors import MessageStoreError
from forebay.outfeed.log.feedlog import FeedLog, FeedLogSettings
from forebay.outfeed.token import Token, message_key

SETTINGS = FeedLogSettings(limit=1 << 30, reserve=0)


def message_id(number: int) -> bytes:
    return b"<%d@example.org>" % number


def key(number: int) -> bytes:
    return message_key(message_id(number))


def record(number: int, peers: int = 1, group: bytes = b"misc.test") -> LogRecord:
    return LogRecord(message_id(number), 1_700_000_000_000 + number, 1000 + number, group, peers)


def records(first: int, count: int, peers: int = 1) -> list[LogRecord]:
    return [record(number, peers) for number in range(first, first + count)]


def token(number: int, seq: int) -> Token:
    return Token(message_id(number), key(number), seq, 1_700_000_000_000 + number, 1000 + number, 0)


def tokens(first_seq: int, count: int, number: int | None = None) -> list[Token]:
    """Tokens for consecutive records; by default record and seq have the same number."""
    start = first_seq if number is None else number
    return [token(start + n, first_seq + n) for n in range(count)]


@asynccontextmanager
async def opened(
    disk: Disk, settings: FeedLogSettings = SETTINGS, peers: Sequence[str] = ("a",)
) -> AsyncIterator[FeedLog]:
    """A log that has these peers and is closed at the end, whatever its disk did to it."""
    log = FeedLog.open(disk, settings)
    try:
        for uid in peers:
            await log.add_peer(uid)
        yield log
    finally:
        await end(log)


async def end(log: FeedLog) -> None:
    """Close it, also when its disk is gone."""
    with suppress(OSError, MessageStoreError):
        await log.close()


def replayed(log: FeedLog, peer: int = 0, start: int = 0, limit: int = 1000) -> list[Token]:
    """All that the log has for a peer."""
    found: list[Token] = []
    while start < log.head:
        some, start = log.read(start, limit, peer)
        found += some
    return found
