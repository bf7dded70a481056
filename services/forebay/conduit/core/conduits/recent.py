"""What was sent so recently that it may still be on its way, and need not be sent once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

K = TypeVar("K", bound="Hashable")


class Recent(Generic[K]):
    """Keys of the last so many seconds; older ones are forgotten."""

    __slots__ = ("_at", "_seconds")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._at: dict[K, float] = {}

    def new(self, keys: Iterable[K], now: float) -> list[K]:
        """Those that were not sent recently; they are now."""
        since = now - self._seconds
        self._at = recent = {key: at for key, at in self._at.items() if at > since}
        found = [key for key in keys if key not in recent]
        recent.update((key, now) for key in found)
        return found
