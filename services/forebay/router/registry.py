"""The threads of a domain, and where each is."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass

from forebay.router.outlet import Outlet


@dataclass(frozen=True, slots=True)
class Entry:
    """One thread."""

    name: str
    """Without a domain."""
    incarnation: int
    outlet: Outlet
    """The way to it: its process, or the router that this is attached to."""
    process: str
    """Name of its process."""
    router: str
    """Name of the router that its process is attached to."""
    since_ms: int
    """Milliseconds since the epoch when it was registered."""


class Registry:
    """By name. At most one thread has a name."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self._names: list[str] = []
        """The same names in order, so that a page begins where the last one ended."""

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, entry: Entry) -> None:
        """A thread that is known from now on, instead of any other of its name."""
        if entry.name not in self.entries:
            insort(self._names, entry.name)
        self.entries[entry.name] = entry

    def remove(self, name: str, outlet: Outlet) -> bool:
        """A thread that has ended; whether it was known, and there."""
        entry = self.entries.get(name)
        if entry is None or entry.outlet is not outlet:
            return False
        del self.entries[name]
        del self._names[bisect_left(self._names, name)]
        return True

    def at(self, outlet: Outlet) -> list[Entry]:
        """The threads that are reached by an outlet."""
        return [entry for entry in self.entries.values() if entry.outlet is outlet]

    def page(self, after: str, prefix: str, count: int) -> Iterator[Entry]:
        """Up to `count` threads whose names have the prefix, in their order, behind the name `after`."""
        begin = max(bisect_left(self._names, prefix), bisect_right(self._names, after) if after else 0)
        for name in self._names[begin : begin + count]:
            if not name.startswith(prefix):
                return
            yield self.entries[name]
