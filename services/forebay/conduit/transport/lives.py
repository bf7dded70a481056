"""Which start of a node it is, for nodes whose id stays over restarts."""

from __future__ import annotations

import time

LIVES_A_SECOND = 16
LATEST_LIFE = (1 << 32) - 1


def life_now() -> int:
    """A number for a start of now, higher than that of each start before; it wraps after years."""
    return int(time.time() * LIVES_A_SECOND) & LATEST_LIFE
