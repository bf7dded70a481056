"""What the store needs of an index from message id to place; the implementation is pluggable."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

OFFSET_BITS = 32
OFFSET_MASK = (1 << OFFSET_BITS) - 1

Where = int
"""Place of a record: number of its file, shifted by 32 bits, and its offset there."""

Place = tuple[Where, int]
"""Where a record is, and the octets of its body."""


def where(file: int, offset: int) -> Where:
    """File and offset as one number, so that records sort by place and a move is one assignment."""
    return file << OFFSET_BITS | offset


class Entry(NamedTuple):
    """One message as the index knows it."""

    id: bytes
    """16 octets."""
    where: Where
    size: int
    """Octets of the body."""
    refs: int
    """How many owners still need it."""


class MessageIndex(Protocol):
    """Index from message id to place and reference count.

    The store calls it under its own lock, so that each call is atomic to all threads. Writing inserts and counts,
    garbage collection moves and deletes, reading only finds. To find an id that is not there must be cheap.
    """

    def __len__(self) -> int: ...

    def find(self, ids: Sequence[bytes]) -> list[Place | None]:
        """Place of each id, None for one that is not there."""
        ...

    def insert(self, entries: Iterable[Entry]) -> None:
        """Add entries whose ids are not there yet."""
        ...

    def count(self, id: bytes, refs: int) -> bool:
        """Add references; False when the id is not there."""
        ...

    def release(self, ids: Iterable[bytes]) -> list[Place]:
        """Take one reference from each; entries that had their last one are deleted and their places returned.

        Ids that are not there are passed over.
        """
        ...

    def move(self, id: bytes, old: Where, new: Where) -> bool:
        """Change the place, only if it still is `old`; False when it is not."""
        ...

    def delete_object(self, id: bytes, old: Where) -> int | None:
        """Delete, only if the place still is `old`: the body's size then, None when it is not."""
        ...

    def forget_counts(self) -> None:
        """Set every reference count to zero; the entries stay."""
        ...

    def pages(self) -> Iterator[list[Entry]]:
        """All entries in any order, some thousands a page; what changes between two pages may be seen or not."""
        ...
