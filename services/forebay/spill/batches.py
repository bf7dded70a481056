"""Batches: entries cut into what one call of a script should take."""

from collections.abc import Iterator, Sequence

BATCH_ENTRIES = 1000
BATCH_BYTES = 1_000_000


def batches(entries: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Cut into runs of at most 1,000 entries and, unless a single one is larger, 1,000,000 octets."""
    for start in range(0, len(entries), BATCH_ENTRIES):
        yield from _halved(entries[start : start + BATCH_ENTRIES])


def _halved(entries: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    if len(entries) == 1 or sum(map(len, entries)) <= BATCH_BYTES:
        yield entries
        return
    middle = len(entries) // 2
    yield from _halved(entries[:middle])
    yield from _halved(entries[middle:])
