"""Numbered slots: a deleted one is used again, and a loop touches used ones only."""

from __future__ import annotations

from heapq import heappop, heappush
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Slots(Generic[T]):
    """Things by small numbers, the lowest that is free first."""

    def __init__(self) -> None:
        self._used: dict[int, T] = {}
        self._free: list[int] = []
        self._changing = Lock()

    def __len__(self) -> int:
        return len(self._used)

    def add(self, make: Callable[[int], T]) -> T:
        """Put what is made of its number into a slot."""
        with self._changing:
            number = heappop(self._free) if self._free else len(self._used)
            made = self._used[number] = make(number)
            return made

    def get(self, number: int) -> T | None:
        """What is in that slot."""
        return self._used.get(number)

    def used(self, number: int) -> T:
        """What is in a used slot. Raises `KeyError` when it is free."""
        return self._used[number]

    def put(self, number: int, thing: T) -> None:
        """Put something else into a used slot."""
        self._used[number] = thing

    def remove(self, number: int) -> T:
        """Free a slot; returns what was in it. Raises `KeyError` when it was free."""
        with self._changing:
            removed = self._used.pop(number)
            heappush(self._free, number)
            return removed

    def all(self) -> list[T]:
        """What is in the used slots."""
        return list(self._used.values())
