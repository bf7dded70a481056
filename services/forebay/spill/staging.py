"""Temporary streams, which a compaction writes aside: they go by themselves unless they are committed in time."""

import secrets
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from forebay.spill import scripts
from forebay.spill.batches import BATCH_BYTES, BATCH_ENTRIES
from forebay.spill.blockingclient import BlockingClient
from forebay.spill.compactionplan import Output, Reason
from forebay.spill.errors import SpillError, SpillUnavailableError
from forebay.spill.keys import Kind, OwnerKeys

if TYPE_CHECKING:
    from forebay.spill.scripts import Argument

STAY = 600.0
"""Seconds a temporary stream stays after it was written to, or refreshed, last."""
FIELD = b"e"


class Staging:
    """One run of temporary streams, each begun when the one before it is full."""

    def __init__(
        self, client: BlockingClient, keys: OwnerKeys, kind: Kind, reason: Reason | None, rotate_bytes: float
    ) -> None:
        self._client = client
        self._keys = keys
        self._kind = kind
        self._reason = reason
        self._rotate_bytes = rotate_bytes
        self._run = secrets.token_hex(8)
        self._refreshed = time.monotonic()
        self._outputs: list[Output] = []

    def write(self, rows: Iterable[tuple[int, bytes]]) -> list[Output]:
        """Write rows in their order; what was written is deleted when it fails.

        A row whose time is before that of the row ahead of it takes over the latter: ids only rise.
        """
        try:
            self._write(rows)
        except BaseException:
            with suppress(SpillError):
                abandon(self._client, self._outputs)
            raise
        return self._outputs

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
        used = self._outputs[-1].bytes if self._outputs else 0
        return min(BATCH_BYTES, self._rotate_bytes - used if used < self._rotate_bytes else self._rotate_bytes)

    def _flush(self, batch: Sequence[bytes], octets: int) -> None:
        if not self._outputs or self._outputs[-1].bytes >= self._rotate_bytes:
            stream = self._keys.temporary(self._run, len(self._outputs))
            self._outputs.append(Output(self._kind, stream, 0, 0, b"", self._reason))
        output = self._outputs[-1]
        entries = output.entries + len(batch) // 2
        args: list[Argument] = [round(STAY * 1000), output.entries, FIELD, *batch]
        if self._client.run_script(scripts.STAGE.call([output.stream], args)) != entries:
            raise SpillUnavailableError(f"{output.stream} has expired while it was written: begin anew")
        self._outputs[-1] = output._replace(entries=entries, bytes=output.bytes + octets, last=batch[-2])
        if time.monotonic() - self._refreshed > STAY / 4:
            refresh(self._client, self._outputs)
            self._refreshed = time.monotonic()


def refresh(client: BlockingClient, outputs: Iterable[Output]) -> None:
    """Have temporary streams stay for the full time again."""
    for output in outputs:
        client.run("PEXPIRE", output.stream, round(STAY * 1000))


def abandon(client: BlockingClient, outputs: Iterable[Output]) -> None:
    """Delete temporary streams."""
    for output in outputs:
        client.run("UNLINK", output.stream)
