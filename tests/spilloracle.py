"""What a compaction must yield, in plain Python and without regard to speed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from forebay.outfeed.token import Token, decode

HEAD = 22
"""Octets ahead of the message-id; what has no more is no token."""


@dataclass
class Expected:
    """What becomes of the entries of one owner and kind."""

    entries: list[bytes]
    dropped: Counter[str] = field(default_factory=Counter)
    released: set[int] = field(default_factory=set)
    """Places in the feed log."""
    corrupt: int = 0


@dataclass
class Row:
    appended: int
    data: bytes
    token: Token | None

    @property
    def order(self) -> tuple[int, int]:
        return (self.token.arrival, self.token.seq) if self.token else (self.appended, 0)


def expected(entries: Sequence[tuple[bytes, bytes]], oldest: int | None, max_bytes: int | None) -> Expected:
    """Entries (id, data) in the order of their streams; articles that arrived before `oldest` (ms) go."""
    rows = [_row(entry_id, data) for entry_id, data in entries]
    young = [row for row in rows if oldest is None or not row.token or row.token.arrival >= oldest]
    first = _first_of_each(sorted(young, key=lambda row: row.order))
    kept = _within(first, max_bytes)
    result = Expected([row.data for row in kept], corrupt=sum(row.token is None for row in kept))
    steps = {"limit-age": (rows, young), "duplicate": (young, first), "limit-bytes": (first, kept)}
    for reason, (before, after) in steps.items():
        result.dropped[reason] = len(before) - len(after)
    result.released = _places(rows) - _places(kept)
    return result


def _row(entry_id: bytes, data: bytes) -> Row:
    return Row(int(entry_id.split(b"-")[0]), data, decode(data) if len(data) > HEAD else None)


def _first_of_each(rows: list[Row]) -> list[Row]:
    kept: list[Row] = []
    for row in rows:
        twins = [
            other for other in rows if row.token and other.token and other.token.message_id == row.token.message_id
        ]
        if not row.token:
            kept.append(row)
        elif twins[0] is row:
            token = row.token._replace(tries=max(twin.token.tries for twin in twins if twin.token))
            kept.append(Row(min(twin.appended for twin in twins), token.encode(), token))
    return kept


def _within(rows: list[Row], max_bytes: int | None) -> list[Row]:
    kept = list(rows)
    for row in rows:
        if max_bytes is None or sum(len(other.data) for other in kept) <= max_bytes:
            return kept
        if row.token:
            kept.remove(row)
    return kept


def _places(rows: Sequence[Row]) -> set[int]:
    return {row.token.seq for row in rows if row.token}
