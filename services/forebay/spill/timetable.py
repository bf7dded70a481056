"""A timetable: what one owner wants to know again at certain times, as a sorted set of times and a hash of values."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple, TypeVar

from redis.exceptions import ResponseError

from forebay.spill import scripts
from forebay.spill.batches import BATCH_ENTRIES
from forebay.spill.desk import Host
from forebay.spill.errors import SpillFullError
from forebay.spill.link import Reply
from forebay.spill.router import Answered, checked, meaning
from forebay.spill.scripts import Argument, Command, Script
from forebay.spill.session import Channel
from forebay.spill.tenure import Tenure

T = TypeVar("T")


class Row(NamedTuple):
    """One thing and its time."""

    key: bytes
    """Names it within the timetable."""
    at: int
    """Its time in microseconds since the epoch."""
    value: bytes


class Timetable:
    """One owner's timetable, made by `Spill.timetable`; `load` comes first.

    Its commands run one after another. Each raises `SpillUnavailableError` (Redis is away), `SpillCheckError` (Redis is
    unfit) or `LeaseLostError` (load again); what else, its docstring says.
    """

    def __init__(self, owner: str, tenure: Tenure, host: Host) -> None:
        self.owner = owner
        self.tenure = tenure
        self._host = host
        self._lock = asyncio.Lock()

    async def load(self) -> None:
        """Take the owner over, waiting for another holder's lease to run out."""
        async with self._lock:
            await self._host.register(self.owner)
            await self.tenure.take()

    async def rows(self, count: int = BATCH_ENTRIES) -> AsyncIterator[list[Row]]:
        """All rows, the earliest first, at most `count` at once. The timetable must not be changed meanwhile."""
        keys, start = self.tenure.keys, 0
        while True:
            reply = await self._run(("ZRANGE", keys.times, start, start + count - 1, "WITHSCORES"))
            named = list(zip(reply[::2], map(_whole, reply[1::2]), strict=True))
            if not named:
                return
            values = await self._run(("HMGET", keys.values, *reply[::2]))
            yield [Row(key, at, value) for (key, at), value in zip(named, values, strict=True) if value is not None]
            start += count

    async def change(self, put: Iterable[Row], struck: Iterable[bytes]) -> None:
        """Put rows in, in the place of those with the same keys, and take others out by their keys.

        No key is in both. Raises `SpillFullError` when Redis has no room: all that was to be struck is out then, and of
        the others some may be in.
        """
        commands = [self._call(scripts.TIMETABLE_STRIKE, part) for part in _parts(struck)]
        commands += [self._call(scripts.TIMETABLE_PUT, _flat(part)) for part in _parts(put)]
        async with self._lock:
            if commands:
                self._check(await self.tenure.run(commands, Channel.APPEND))

    async def release(self) -> None:
        """Give the lease back, so that the next holder need not wait."""
        async with self._lock:
            await self.tenure.release()

    async def _run(self, command: Command) -> Reply:
        async with self._lock:
            (reply,) = checked(await self.tenure.run([command]))
        return reply

    def _call(self, script: Script, args: Iterable[Argument]) -> Command:
        keys = self.tenure.keys
        return script.call([keys.meta, keys.times, keys.values], [self.tenure.token, *args])

    def _check(self, answered: Answered) -> None:
        for reply in answered.replies:
            if isinstance(reply, ResponseError):
                failure = meaning(reply, answered)
                if isinstance(failure, SpillFullError):
                    self._host.refused(failure)
                raise failure


def _parts(things: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(things)
    while part := list(islice(rest, BATCH_ENTRIES)):
        yield part


def _flat(rows: Iterable[Row]) -> Iterable[Argument]:
    return chain.from_iterable((row.at, row.key, row.value) for row in rows)


def _whole(score: bytes) -> int:
    return int(float(score))
