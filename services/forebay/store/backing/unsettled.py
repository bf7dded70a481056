"""What waits for the disk: messages that are not ready before it, references that are not given back before it."""

from collections import deque
from typing import NamedTuple

from forebay.store.backing.protocol import Bodies
from forebay.store.backing.run import Run


class Release(NamedTuple):
    """References that are given back once the acknowledgement is durable."""

    store: Bodies
    ids: list[bytes]


class Unsettled:
    """Arrivals and releases in their order, counted from the start."""

    def __init__(self) -> None:
        self.arrivals: deque[Run] = deque()
        self.releases: deque[Release] = deque()
        self.arrived = 0
        """Runs that came in so far."""
        self.released = 0
        """Releases so far."""
        self.octets = 0
        """Octets of the arrivals that wait."""

    def __bool__(self) -> bool:
        return bool(self.arrivals or self.releases)

    def arrive(self, run: Run) -> None:
        """Messages came in."""
        self.arrivals.append(run)
        self.arrived += 1
        self.octets += run.octets

    def release(self, store: Bodies, ids: list[bytes]) -> None:
        """References are no longer needed."""
        self.releases.append(Release(store, ids))
        self.released += 1

    def take_arrivals(self, arrived: int) -> list[Run]:
        """Take out what had arrived by then."""
        count = max(0, arrived - (self.arrived - len(self.arrivals)))
        taken = [self.arrivals.popleft() for _ in range(count)]
        self.octets -= sum(run.octets for run in taken)
        return taken

    def take_releases(self, released: int) -> list[Release]:
        """Take out what had been released by then."""
        count = max(0, released - (self.released - len(self.releases)))
        return [self.releases.popleft() for _ in range(count)]
