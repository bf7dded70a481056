"""How many Events a resource is worth: a peer that comes and goes may not fill the store of the cluster. Pure."""

from collections.abc import Callable
from datetime import datetime, timedelta

MOST = 25
"""Events of a resource in a row; as many as Kubernetes' own clients allow."""
REFILL = timedelta(minutes=5)
"""After which there is one more, up to the most."""


class EventBudget:
    """Counts the Events of each resource."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._full: dict[str, datetime] = {}
        """When each resource has all of its Events again, by uid; those that have are forgotten."""

    def take(self, uid: str) -> bool:
        """Whether there may be one more about the resource of that uid."""
        now = self._now()
        latest = now + MOST * REFILL
        # Not later than that, for the clock may have been set back.
        full = min(max(now, self._full.pop(uid, now)), latest)
        is_left = full + REFILL <= latest
        self._full[uid] = full + REFILL if is_left else full
        while next(iter(self._full.values())) <= now:
            del self._full[next(iter(self._full))]
        return is_left
