"""Temporary streams, which a compaction writes aside: they go by themselves unless they are committed in time."""

import secrets
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from forebay.spill import scripts
from forebay.spill.batches import BATCH_BYTES, BATCH_ENTRIES, batches
from forebay.spill.blockingclient import BlockingClient
from forebay.spill.compactionplan import Output, Reason
from forebay.spill.dialogue import Question
from forebay.spill.errors import SpillError, SpillUnavailableError
from forebay.spill.keys import Kind, OwnerKeys

if TYPE_CHECKING:
    from forebay.spill.scripts import Argument, Script

STAY = 600.0
"""Seconds a temporary stream stays after it was written to, or refreshed, last."""
FIELD = b"e"
LUMP = 100
"""Entries that are dropped, in one entry of the stream that tells of them: Redis has less to do than for one each."""
AHEAD = 8
"""Batches that may be under way to Redis."""


class Sent(NamedTuple):
    """A batch that is under way."""

    question: Question
    stream: str
    entries: int
    """That the stream is to have with it."""


class Writer:
    """Writes streams of one kind, the next batch while those before it are under way."""

    def __init__(self, client: BlockingClient, keys: OwnerKeys, kind: Kind, reason: Reason | None) -> None:
        self.outputs: list[Output] = []
        self._client = client
        self._keys = keys
        self._kind = kind
        self._reason = reason
        self._run = secrets.token_hex(8)
        self._refreshed = time.monotonic()
        self._sent: deque[Sent] = deque()

    @contextmanager
    def deleted_on_failure(self) -> Iterator[None]:
        """All that is written in the block is there at its end, or nothing is."""
        try:
            yield
            self._confirm(0)
        except BaseException:
            with suppress(SpillError):
                abandon(self._client, self.outputs)
            raise

    def begin(self) -> None:
        """Have what follows in the next stream."""
        stream = self._keys.temporary(self._run, len(self.outputs))
        self.outputs.append(Output(self._kind, stream, 0, 0, b"", self._reason))

    def send(self, script: "Script", args: Sequence["Argument"], added: Output) -> None:
        """Add a batch to the last stream. added: what becomes of it."""
        before = self.outputs[-1]
        command = script.call([before.stream], [round(STAY * 1000), before.entries, FIELD, *args])
        question = self._client.ask(before.stream, *scripts.with_text(command))
        self._sent.append(Sent(question, added.stream, added.entries))
        self.outputs[-1] = added
        self._confirm(AHEAD)
        if time.monotonic() - self._refreshed > STAY / 4:
            refresh(self._client, self.outputs)
            self._refreshed = time.monotonic()

    def _confirm(self, left: int) -> None:
        """Wait until no more than so many batches are under way."""
        while len(self._sent) > left:
            question, stream, entries = self._sent.popleft()
            if question.answer() != entries:
                raise SpillUnavailableError(f"{stream} has expired while it was written: begin anew")


class Staging:
    """One run of temporary streams of entries that stay, each begun when the one before it is full."""

    def __init__(self, client: BlockingClient, keys: OwnerKeys, kind: Kind, rotate_bytes: float) -> None:
        self._writer = Writer(client, keys, kind, None)
        self._rotate_bytes = rotate_bytes

    def write(self, rows: Iterable[tuple[int, bytes]]) -> list[Output]:
        """Write rows in their order; what was written is deleted when it fails.

        A row whose time is before that of the row ahead of it takes over the latter: ids only rise.
        """
        with self._writer.deleted_on_failure():
            self._write(rows)
        return self._writer.outputs

    def _write(self, rows: Iterable[tuple[int, bytes]]) -> None:
        newest, number, octets = 0, 0, 0
        limit = self._room()
        batch: list[bytes] = []
        for appended, data in rows:
            newest, number = (appended, 0) if appended > newest else (newest, number + 1)
            batch += (b"%d-%d" % (newest, number), data)
            octets += len(data)
            if octets >= limit or len(batch) == 2 * BATCH_ENTRIES:
                self._flush(batch, octets)
                batch, octets, limit = [], 0, self._room()
        if batch:
            self._flush(batch, octets)

    def _room(self) -> float:
        """Octets that the next batch may have."""
        outputs = self._writer.outputs
        used = outputs[-1].bytes if outputs else 0
        return min(BATCH_BYTES, self._rotate_bytes - used if used < self._rotate_bytes else self._rotate_bytes)

    def _flush(self, batch: Sequence[bytes], octets: int) -> None:
        outputs = self._writer.outputs
        if not outputs or outputs[-1].bytes >= self._rotate_bytes:
            self._writer.begin()
        _, _, entries, size, *_ = output = outputs[-1]
        added = output._replace(entries=entries + len(batch) // 2, bytes=size + octets, last=batch[-2])
        self._writer.send(scripts.STAGE, batch, added)


class DroppedStaging:
    """A temporary stream of entries that are dropped, many of them in one entry of it."""

    def __init__(self, client: BlockingClient, keys: OwnerKeys, kind: Kind, reason: Reason) -> None:
        self._writer = Writer(client, keys, kind, reason)

    def write(self, entries: Iterable[bytes]) -> list[Output]:
        """Write them in their order; what was written is deleted when it fails."""
        rest = iter(entries)
        with self._writer.deleted_on_failure():
            while some := list(islice(rest, BATCH_ENTRIES)):
                for batch in batches(some):
                    self._flush(batch)
        return self._writer.outputs

    def _flush(self, batch: Sequence[bytes]) -> None:
        if not self._writer.outputs:
            self._writer.begin()
        _, _, entries, size, *_ = output = self._writer.outputs[-1]
        entries += -(-len(batch) // LUMP)
        size += sum(map(len, batch))
        added = output._replace(entries=entries, bytes=size, last=b"0-%d" % entries)
        self._writer.send(scripts.STAGE_DROPPED, [LUMP, *batch], added)


def refresh(client: BlockingClient, outputs: Iterable[Output]) -> None:
    """Have temporary streams stay for the full time again."""
    _tell(client, outputs, "PEXPIRE", round(STAY * 1000))


def abandon(client: BlockingClient, outputs: Iterable[Output]) -> None:
    """Delete temporary streams, behind whatever is under way to them."""
    _tell(client, outputs, "UNLINK")


def _tell(client: BlockingClient, outputs: Iterable[Output], command: str, *args: int) -> None:
    for question in [client.ask(output.stream, command, output.stream, *args) for output in outputs]:
        question.answer()
