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


class Held(NamedTuple):
    """What the index points to in one file."""

    live: int
    """Octets of the records."""
    messages: int


class MessageIndex(Protocol):
    """Index from message id to place and reference count.

    The store calls it under its own lock, so that each call is atomic to all threads. Writing inserts and counts,
    garbage collection moves and deletes, reading only finds. To find an id that is not there must be cheap.
    """

    def __len__(self) -> int: ...

    def begin(self, mark: bytes | None) -> dict[int, Held] | None:
        """Before anything else: go on with what was kept under that mark, and tell what was said of the files then.

        None when nothing of the kind is there: the index is empty, and what it had is gone.
        """
        ...

    def keep(self, mark: bytes, files: dict[int, Held]) -> bool:
        """Nothing more will be changed: make it durable under a mark. False for an index that can't do that."""
        ...

    def close(self) -> None:
        """Let go of what it holds; nothing else is called any more."""
        ...

    def find(self, ids: Sequence[bytes]) -> list[Place | None]:
        """Place of each id, None for one that is not there."""
        ...

    def insert(self, entries: Iterable[Entry]) -> None:
        """Add entries whose ids are not there yet."""
        ...

    def count(self, counts: Sequence[tuple[bytes, int]]) -> list[bool]:
        """Add references to each id; False for one that is not there."""
        ...

    def release(self, ids: Sequence[bytes]) -> list[Place]:
        """Take one reference from each; entries that had their last one are deleted and their places returned.

        Ids that are not there are passed over.
        """
        ...

    def move(self, moves: Sequence[tuple[bytes, Where, Where]]) -> list[bool]:
        """Change the place of each id from the old to the new one; False for one whose place was another."""
        ...

    def delete_object(self, id: bytes, old: Where) -> int | None:
        """Delete, only if the place still is `old`: the body's size then, None when it is not."""
        ...

    def forget_counts(self) -> None:
        """Set every reference count to zero; the entries stay."""
        ...

    def unowned(self) -> Iterator[list[bytes]]:
        """Ids of all entries without references, in pages as `pages` has them."""
        ...

    def pages(self) -> Iterator[list[Entry]]:
        """All entries in any order, some thousands a page; what changes between two pages may be seen or not."""
        ...
