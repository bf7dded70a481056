"""Who may be primary: the pods that have everything that was confirmed, the one that has been there longest first.

The set is kept beside the lease. Only who holds the lease changes it, and before it confirms anything that a member
has not got. So whoever is in the set when the lease changes hands lacks nothing.
"""

from collections.abc import Sequence
from typing import Protocol

from forebay.runtime.lease import Standing

Members = tuple[str, ...]

SEPARATOR = ","
STEP = 1.0
"""Seconds that a mirror leaves to each that has been there longer than it."""


class MemberRecord(Protocol):
    """Where the set is kept. Methods raise `LeaseError` when that cannot be read or written."""

    async def standing(self) -> Standing:
        """Who holds the lease, and what is written beside it, all of one instant."""
        ...

    async def write_note(self, holder: str, note: str) -> bool:
        """Write it; False, and nothing is written, when somebody else holds the lease."""
        ...


def parse(note: str) -> Members:
    """The set as it is written."""
    return tuple(filter(None, note.split(SEPARATOR)))


def written(members: Sequence[str]) -> str:
    """The opposite."""
    return SEPARATOR.join(members)


def patience(name: str, members: Members) -> float | None:
    """Seconds for which a pod lets the lease be free before it takes it; None: it must not be primary.

    The first member was primary: it may go on, if it is back, but nobody waits for it. Without any member there never
    was a primary, and everybody may begin.
    """
    if not members:
        return 0.0
    return max(0, members.index(name) - 1) * STEP if name in members else None


def promoted(name: str, members: Members) -> Members:
    """The set of a new primary: itself alone, until others have caught up."""
    if members and name not in members:
        raise ValueError(f"{name} lacks what members of {written(members)} have")
    return (name,)


def joined(name: str, members: Members) -> Members:
    """The set with a mirror that has caught up."""
    return members if name in members else (*members, name)


def left(name: str, members: Members) -> Members:
    """The set without a mirror."""
    return tuple(member for member in members if member != name)
