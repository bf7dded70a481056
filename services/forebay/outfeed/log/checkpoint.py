"""The checkpoint of a stream of tokens that are handed out in order and done in any order."""

from collections import OrderedDict
from collections.abc import Iterable


class Checkpoint:
    """Below it all is done.

    Positions (of the feed log, or of a resend stream) are integers, handed out in rising order. Everything up to
    `low_water` is done; what was never handed out, or is done already, is ignored.
    """

    def __init__(self, position: int) -> None:
        """Everything up to `position` was done before."""
        self._last = position
        self._waiting: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        """Positions handed out and not done."""
        return len(self._waiting)

    def __contains__(self, position: int) -> bool:
        """Whether a position was handed out and is not done."""
        return position in self._waiting

    def waiting_of(self, positions: Iterable[int]) -> set[int]:
        """Those that were handed out and are not done."""
        return self._waiting.keys() & positions

    @property
    def low_water(self) -> int:
        """The highest position up to which all is done."""
        if not self._waiting:
            return self._last
        return next(iter(self._waiting)) - 1

    def add(self, positions: Iterable[int]) -> None:
        """Hand out positions, each higher than all before."""
        self._waiting.update(dict.fromkeys(positions))
        if self._waiting:
            self._last = max(self._last, next(reversed(self._waiting)))

    def done(self, positions: Iterable[int]) -> None:
        """These need no further thought."""
        pop = self._waiting.pop
        for position in positions:
            pop(position, None)
