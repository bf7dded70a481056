"""The queue of a thread: internal, then urgent, then regular."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

I = TypeVar("I")  # noqa: E741
M = TypeVar("M")


@dataclass(frozen=True)
class QueueLimits:
    """When senders have to wait, in messages that are not internal."""

    high: int = 4096
    """From here on the queue is full: it still takes what comes, but its senders are told to wait."""
    low: int = 2048
    """Below this they may go on."""

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.high:
            raise ValueError(f"low is {self.low} and high is {self.high}: give 0 < low <= high")


class ThreadQueue(Generic[I, M]):
    """Takes everything; tells when it is full, and when not any more. `I` is internal, `M` are messages."""

    __slots__ = ("_high", "_low", "_regular", "_urgent", "internal")

    def __init__(self, limits: QueueLimits) -> None:
        self._high, self._low = limits.high, limits.low
        self.internal: deque[I] = deque()
        """What goes first."""
        self._urgent: deque[M] = deque()
        self._regular: deque[M] = deque()

    def __len__(self) -> int:
        """Messages; what is internal does not count."""
        return len(self._urgent) + len(self._regular)

    @property
    def full(self) -> bool:
        """Senders have to wait."""
        return len(self._urgent) + len(self._regular) >= self._high

    @property
    def low(self) -> bool:
        """Senders that wait may go on."""
        return len(self._urgent) + len(self._regular) < self._low

    def put_internal(self, item: I) -> None:
        """Add something internal."""
        self.internal.append(item)

    def put(self, message: M, *, urgent: bool) -> None:
        """Add a message."""
        (self._urgent if urgent else self._regular).append(message)

    def extend(self, messages: Sequence[M], *, urgent: bool) -> None:
        """Add messages in their order."""
        (self._urgent if urgent else self._regular).extend(messages)

    def take_internal(self) -> I | None:
        """The next internal thing, if there is one."""
        return self.internal.popleft() if self.internal else None

    def take(self) -> M | None:
        """The next message, if there is one."""
        if self._urgent:
            return self._urgent.popleft()
        return self._regular.popleft() if self._regular else None

    def clear(self) -> list[M]:
        """Remove all messages, in the order in which they would have been taken."""
        left = [*self._urgent, *self._regular]
        self._urgent.clear()
        self._regular.clear()
        return left
