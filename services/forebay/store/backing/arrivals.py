"""Messages on their way into a queue, as columns."""

from array import array
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import overload

from forebay.store.backing.run import Arrival, Run


class Arrivals(Sequence[Arrival]):
    """What a queue is given at once; one of them is an `Arrival`.

    sizes: octets of each content. stored: as in a `Run`; None when the queue keeps all contents itself. expiries: None
    when all are 0. priorities: None when all are 0. persistent: an octet for each, 1 for yes, where they differ.
    """

    __slots__ = ("contents", "expiries", "ids", "persistent", "priorities", "sizes", "stored")

    def __init__(
        self,
        contents: list[bytes],
        ids: list[bytes],
        sizes: "array[int]",
        *,
        stored: bytes | None = None,
        expiries: "array[int] | None" = None,
        priorities: list[int] | None = None,
        persistent: bool | bytes = True,
    ) -> None:
        self.contents = contents
        self.ids = ids
        self.sizes = sizes
        self.stored = stored
        self.expiries = expiries
        self.priorities = priorities
        self.persistent = persistent

    @classmethod
    def of(cls, arrivals: Sequence[Arrival]) -> "Arrivals":
        """The same messages as columns; at least one."""
        if isinstance(arrivals, Arrivals):
            return arrivals
        contents, ids, embedded, expiries, priorities, persistent = zip(*arrivals, strict=True)
        return cls(
            list(contents),
            list(ids),
            array("I", map(len, contents)),
            stored=None if all(embedded) else bytes(not here for here in embedded),
            expiries=array("Q", expiries) if any(expiries) else None,
            priorities=list(priorities) if any(priorities) else None,
            persistent=bytes(persistent),
        )

    def __len__(self) -> int:
        return len(self.contents)

    @overload
    def __getitem__(self, place: int) -> Arrival: ...
    @overload
    def __getitem__(self, place: slice) -> list[Arrival]: ...
    def __getitem__(self, place: int | slice) -> Arrival | list[Arrival]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        return Arrival(
            self.contents[place],
            self.ids[place],
            not (self.stored and self.stored[place]),
            self.expiries[place] if self.expiries else 0,
            self.priorities[place] if self.priorities else 0,
            bool(self.persistent if isinstance(self.persistent, bool) else self.persistent[place]),
        )

    def runs(self, first: int) -> Iterator[Run]:
        """Runs of those that are persistent or not, numbered from there on."""
        if isinstance(self.persistent, bool):
            yield self._run(first, 0, len(self), persistent=self.persistent)
            return
        start = 0
        for persistent, group in groupby(self.persistent):
            stop = start + sum(1 for _ in group)
            yield self._run(first + start, start, stop, persistent=bool(persistent))
            start = stop

    def _run(self, first: int, start: int, stop: int, *, persistent: bool) -> Run:
        cut = slice(start, stop)
        return Run(
            first,
            self.ids[cut],
            self.sizes[cut],
            self.contents[cut],
            expiries=self.expiries[cut] if self.expiries else None,
            stored=self.stored[cut] if self.stored else None,
            persistent=persistent,
            filed=persistent,
        )
