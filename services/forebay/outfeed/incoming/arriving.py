"""Message-ids that one connection was asked to send, so that the others need not send them meanwhile."""

from collections.abc import Hashable, Iterable

_LIMIT = 65_536
_PATIENCE = 5.0


class Arriving:
    """A bounded set of promised message-ids, each of one owner; a promise lapses after a time.

    When it is full the oldest promise goes, which at worst lets an article be sent twice. Times are in seconds of one
    monotonic clock.
    """

    def __init__(self, limit: int = _LIMIT, patience: float = _PATIENCE) -> None:
        self._limit = limit
        self._patience = patience
        self._promised: dict[bytes, tuple[Hashable, float]] = {}

    def __len__(self) -> int:
        return len(self._promised)

    def claim(self, message_id: bytes, owner: Hashable, now: float) -> bool:
        """Promise a message-id to an owner; False while it is promised to another."""
        promise = self._promised.pop(message_id, None)
        if promise is not None and promise[0] is not owner and promise[1] > now:
            self._promised[message_id] = promise
            return False
        if len(self._promised) >= self._limit:
            del self._promised[next(iter(self._promised))]
        self._promised[message_id] = (owner, now + self._patience)
        return True

    def release(self, message_ids: Iterable[bytes]) -> None:
        """These have arrived."""
        for message_id in message_ids:
            self._promised.pop(message_id, None)

    def forget(self, owner: Hashable) -> None:
        """The owner is gone, and its promises with it."""
        self._promised = {key: promise for key, promise in self._promised.items() if promise[0] is not owner}
