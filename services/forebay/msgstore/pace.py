"""Writing in step with garbage collection, so that the disk stays bounded however fast messages come and go."""

from threading import Condition

from forebay.msgstore.catalogue import Catalogue

BEHIND = 4
"""Files that wait for garbage collection beyond which it counts as behind."""

PATIENCE = 1.0
"""Seconds that a new file waits at most: rather more disk than no messages."""


class Pace:
    """While garbage collection is behind, a new message file takes the place of one that it has given back."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._changed = Condition()
        self._given = 0
        self._idle = False

    def wait(self) -> None:
        """Before a new message file is made; blocks the writer."""
        with self._changed:
            if not self._may_go():
                self._changed.wait_for(self._may_go, PATIENCE)
            self._given = max(0, self._given - 1)

    def give(self, files: int) -> None:
        """Garbage collection has done away with so many files."""
        with self._changed:
            # What was given long ago does not excuse falling behind now.
            self._given = min(self._given + files, BEHIND)
            self._changed.notify_all()

    def rest(self, *, idle: bool) -> None:
        """Garbage collection can do nothing now, or goes on: it is no use to wait for it while it can't."""
        with self._changed:
            self._idle = idle
            self._changed.notify_all()

    def _may_go(self) -> bool:
        return self._idle or self._given > 0 or self._catalogue.backlog <= BEHIND
