"""Which start of a node it is, for nodes whose id stays over restarts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LIVES_A_SECOND = 16
LATEST_LIFE = (1 << 32) - 1


class Lives:
    """Numbers for starts: each is higher than those before, in this process or an earlier one. They wrap after eight
    years.
    """

    def __init__(self, wall: Callable[[], float] = time.time) -> None:
        """`wall`: seconds since the epoch."""
        self._wall = wall
        self._latest = -1

    def begin(self) -> int:
        """The number of a start of now."""
        now = int(self._wall() * LIVES_A_SECOND)
        self._latest = max(now, self._latest + 1)
        return self._latest & LATEST_LIFE


LIVES = Lives()
"""Of this process."""
