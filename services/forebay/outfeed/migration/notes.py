"""Notes: what of a file could not be carried over, where it stood, and why."""

from typing import NamedTuple


class Place(NamedTuple):
    """Where something stands."""

    file: str
    line: int
    """From 1."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Note(NamedTuple):
    """One thing that could not be carried over, or not as it was."""

    place: Place
    subject: str
    """The key or the flag, behind the peer's name where only one peer is meant."""
    reason: str
    """Why, and what to do where something is to be done."""

    def __str__(self) -> str:
        return f"{self.place}: {self.subject}: {self.reason}"
