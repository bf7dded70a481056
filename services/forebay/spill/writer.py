"""The writer of a spool: appends entries, and moves them between streams."""

from collections.abc import Sequence
from itertools import chain

from redis.exceptions import ResponseError

from forebay.spill import scripts
from forebay.spill.batches import BATCH_ENTRIES, batches
from forebay.spill.desk import STALLS, Desk, stalled
from forebay.spill.fence import Durable
from forebay.spill.keys import Kind
from forebay.spill.link import Reply
from forebay.spill.resend import ResendWindow
from forebay.spill.router import Answered
from forebay.spill.scripts import Command
from forebay.spill.session import Channel

PIPELINE = 64 * BATCH_ENTRIES
"""Entries sent before their answers are waited for."""


class Writer:
    """Books what Redis took in the desk's ledger."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def append(self, kind: Kind, entries: Sequence[bytes]) -> Durable:
        """Append in order. Raises `SpillFullError` with the number of those taken."""
        taken, stalls, handle = 0, 0, Durable()
        while taken < len(entries):
            part = list(batches(entries[taken : taken + PIPELINE]))
            answered = await self._desk.tenure.run(self._appends(kind, part), Channel.APPEND)
            got = await self._book_appends(kind, part, answered, taken)
            stalls = 0 if got else stalls + 1
            if stalls == STALLS:
                raise stalled(self._desk.keys)
            taken, handle = taken + got, self._desk.written(Channel.APPEND)
        return handle

    def _appends(self, kind: Kind, part: Sequence[Sequence[bytes]]) -> list[Command]:
        keys, args = self._desk.places(kind)
        token, turn = self._desk.tenure.token, self._desk.ledger.turn
        return [scripts.APPEND.call(keys, [token, turn + at, *args, *batch]) for at, batch in enumerate(part)]

    async def _book_appends(self, kind: Kind, part: Sequence[Sequence[bytes]], answered: Answered, before: int) -> int:
        taken = 0
        for batch, reply in zip(part, answered.replies, strict=True):
            if isinstance(reply, ResponseError):
                raise self._desk.refused(reply, answered, before + taken)
            if reply[0] != b"OK":
                await self._desk.reload()
                break
            self._book(kind, reply, len(batch), reply[3])
            self._desk.ledger.turn += 1
            taken += len(batch)
        return taken

    async def move(self, source: Kind, kind: Kind, entries: Sequence[tuple[bytes, bytes]]) -> tuple[int, Durable]:
        """Take entries out of R or the dead letters, by id, and append their new forms. Returns how many were there."""
        moved, handle = 0, Durable()
        for start in range(0, len(entries), BATCH_ENTRIES):
            part = entries[start : start + BATCH_ENTRIES]
            number, handle = await self._move_batch(source, kind, part)
            moved += number
        return moved, handle

    async def _move_batch(
        self, source: Kind, kind: Kind, entries: Sequence[tuple[bytes, bytes]]
    ) -> tuple[int, Durable]:
        desk = self._desk
        for _ in range(STALLS):
            if source is Kind.RESEND and desk.ledger.resend is None:
                return 0, Durable()
            command = self._move(source, kind, entries)
            (reply,) = await desk.run(command, channel=Channel.APPEND)
            if reply[0] == b"OK":
                self._book_move(source, kind, reply)
                desk.window.take_out(entry_id for entry_id, _ in entries)
                return reply[3], desk.written(Channel.APPEND)
            await desk.reload()
        raise stalled(desk.keys)

    def _move(self, source: Kind, kind: Kind, entries: Sequence[tuple[bytes, bytes]]) -> Command:
        desk = self._desk
        keys, args = desk.places(kind)
        resend = desk.ledger.resend
        stream, segment = (
            (desk.keys.dead, "X") if source is Kind.DEAD or resend is None else (desk.keys.resend, resend.id)
        )
        return scripts.MOVE.call([*keys, stream], [desk.tenure.token, segment, *args, *chain.from_iterable(entries)])

    def _book_move(self, source: Kind, kind: Kind, reply: Reply) -> None:
        _, _, _, entries, taken, given, finished = reply
        self._book(kind, reply, entries, given)
        self._desk.ledger.removed(source, entries, taken, gone=bool(finished))
        if finished:
            self._desk.window = ResendWindow()

    def _book(self, kind: Kind, reply: Reply, entries: int, size: int) -> None:
        segment = 0 if kind is Kind.DEAD else int(reply[1])
        self._desk.ledger.added(kind, segment, int(reply[2]), entries, size)
        self._desk.metrics.appended += entries
        self._desk.metrics.appended_bytes += size
