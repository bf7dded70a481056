"""The outcome log: what became of every article at every peer, and how long the peers' backlogs are, as JSON lines.

    {"time":…,"peer":…,"outcome":…,"reason":…,"message_id":…,"group":…,"size":…}
    {"time":…,"peer":…,"backlog":{"queued":…,…}}

Times are milliseconds since the epoch. It serves reports: it never keeps an article waiting, and what it cannot write
is lost and counted.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Event, Thread
from typing import NamedTuple

import structlog

from forebay.msgstore.disk import Disk
from forebay.outfeed.log.outcomefiles import OutcomeFiles, OutcomeLogSettings
from forebay.outfeed.token import Token
from forebay.runtime.clock import Clock

log = structlog.stdlib.get_logger(__name__)

TICK = 0.25
"""Seconds between two looks of the thread at what waits: waking it for each batch would cost the loop far more."""
PIECE = 256
"""Batches written at once."""
_PLAIN = bytes(set(range(0x20, 0x7F)) - {ord('"'), ord("\\")})
"""Octets that stand for themselves in a JSON string."""


class _Outcomes(NamedTuple):
    time: int
    peer: str
    outcome: str
    reason: str
    tokens: Sequence[Token]
    groups: Sequence[bytes]

    def lines(self) -> bytes:
        head = _json({"time": self.time, "peer": self.peer, "outcome": self.outcome, "reason": self.reason})[:-1]
        # One join: a format an article takes four times as long, and the event loop waits for this thread.
        parts = [head, b',"message_id":', b"", b',"group":', b"", b',"size":', b"", b"}\n"] * len(self.tokens)
        parts[2::8] = _quoted([token.message_id for token in self.tokens])
        parts[4::8] = _quoted(self.groups)
        parts[6::8] = _json([token.size for token in self.tokens])[1:-1].split(b",")
        return b"".join(parts)


class _Sample(NamedTuple):
    time: int
    peer: str
    backlog: Mapping[str, int]
    tokens: Sequence[Token] = ()

    def lines(self) -> bytes:
        return _json({"time": self.time, "peer": self.peer, "backlog": dict(self.backlog)}) + b"\n"


class OutcomeLog:
    """Outcomes are handed over on the event loop; a thread of its own turns them into lines and writes them."""

    def __init__(
        self,
        disk: Disk,
        settings: OutcomeLogSettings,
        clock: Clock,
        groups_of: Callable[[Iterable[int]], list[bytes]],
    ) -> None:
        """groups_of: the first group of each article, by seq."""
        self.lost = 0
        """Outcomes that found no room in memory."""
        self.unwritten = 0
        """Outcomes that the disk did not take."""
        self._settings = settings
        self._clock = clock
        self._groups_of = groups_of
        self._files = OutcomeFiles(disk, settings, clock)
        self._waiting: deque[_Outcomes | _Sample] = deque()
        self._closing = Event()
        self._added = 0
        self._taken = 0
        self._failing = False
        self._thread = Thread(target=self._run, name="outcome-log", daemon=True)
        self._thread.start()

    @property
    def deleted_files(self) -> int:
        """Files deleted because all together were too large."""
        return self._files.deleted

    def add(self, peer: str, outcome: str, reason: str, tokens: Sequence[Token]) -> None:
        """Note what became of articles at a peer."""
        if not tokens:
            return
        if self._added - self._taken + len(tokens) > self._settings.pending:
            self.lost += len(tokens)
            return
        self._added += len(tokens)
        groups = self._groups_of([token.seq for token in tokens])
        self._waiting.append(_Outcomes(self._now(), peer, outcome, reason, tokens, groups))

    def sample(self, peer: str, backlog: Mapping[str, int]) -> None:
        """Note how much waits for a peer, by kind; meant to be called once a minute."""
        self._waiting.append(_Sample(self._now(), peer, backlog))

    def close(self) -> None:
        """Write what waits and close the file; blocks until then."""
        self._closing.set()
        self._thread.join()

    def _now(self) -> int:
        return int(self._clock.wall() * 1000)

    def _run(self) -> None:
        self._try(self._files.recover)
        while not self._closing.wait(TICK):
            self._write_waiting()
        self._write_waiting()
        self._try(self._files.close)

    def _write_waiting(self) -> None:
        while batch := [self._waiting.popleft() for _ in range(min(len(self._waiting), PIECE))]:
            articles = sum(len(item.tokens) for item in batch)
            self._taken += articles
            if not self._try(lambda: self._write(batch)):
                self.unwritten += articles
        self._try(self._files.rotate)

    def _write(self, batch: Sequence[_Outcomes | _Sample]) -> None:
        self._files.write(b"".join([item.lines() for item in batch]))

    def _try(self, work: Callable[[], None]) -> bool:
        try:
            work()
        except OSError as error:
            if not self._failing:
                log.warning("the outcome log cannot be written: outcomes are lost", error=str(error))
            self._failing = True
            return False
        self._failing = False
        return True


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _quoted(names: Sequence[bytes]) -> list[bytes]:
    """JSON strings of names, at least one, most of which are plain."""
    if not b"".join(names).translate(None, _PLAIN):
        return (b'"' + b'"\n"'.join(names) + b'"').split(b"\n")
    return [_json(name.decode("utf-8", "replace")) for name in names]
