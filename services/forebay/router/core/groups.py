"""Groups: who is in which, and which messages of a group a member takes."""

import re
from collections.abc import Iterable
from functools import lru_cache

from forebay.router.core.errors import BadNameError

LONGEST_PATTERN = 500


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> re.Pattern[str]:
    """A filter of message names. Raises `BadNameError` when it is no regular expression."""
    if len(pattern) > LONGEST_PATTERN:
        raise BadNameError(f"the filter has {len(pattern)} characters: give at most {LONGEST_PATTERN}")
    try:
        return re.compile(pattern)
    except re.error as error:
        raise BadNameError(f"the filter {pattern!r} is no regular expression: {error}") from error


class Groups:
    """Which threads are in which groups. Names are whatever the user of this class takes."""

    def __init__(self) -> None:
        self._members: dict[str, set[str]] = {}
        self._groups: dict[str, set[str]] = {}

    def join(self, group: str, member: str) -> bool:
        """Add a member; whether it is the group's first."""
        members = self._members.setdefault(group, set())
        first = not members
        members.add(member)
        self._groups.setdefault(member, set()).add(group)
        return first

    def leave(self, group: str, member: str) -> bool:
        """Remove a member; whether it was the group's last."""
        members = self._members.get(group)
        if members is None or member not in members:
            return False
        members.discard(member)
        groups = self._groups[member]
        groups.discard(group)
        if not groups:
            del self._groups[member]
        if not members:
            del self._members[group]
        return not members

    def drop(self, member: str) -> list[str]:
        """Remove a member from all its groups; those that have none left."""
        return [group for group in list(self._groups.get(member, ())) if self.leave(group, member)]

    def members(self, group: str) -> Iterable[str]:
        """The members of a group."""
        return self._members.get(group, ())

    def of(self, member: str) -> Iterable[str]:
        """The groups of a member."""
        return self._groups.get(member, ())

    def all(self) -> Iterable[str]:
        """Groups that have members."""
        return self._members


class Filters:
    """The filters of one process's threads by group: a thread takes what any of its filters matches."""

    def __init__(self) -> None:
        self._filters: dict[str, dict[str, dict[str, re.Pattern[str]]]] = {}
        """By group, then thread, then pattern."""

    def join(self, group: str, thread: str, pattern: str) -> bool:
        """Take more messages of a group: those whose whole name matches, all with an empty pattern.

        Whether the thread was no member before. Raises `BadNameError` when the pattern is no regular expression.
        """
        filter_ = compiled(pattern)
        filters = self._filters.setdefault(group, {}).setdefault(thread, {})
        first = not filters
        filters[pattern] = filter_
        return first

    def leave(self, group: str, thread: str) -> bool:
        """Take nothing of a group any more; whether the thread was a member."""
        threads = self._filters.get(group, {})
        known = threads.pop(thread, None)
        if not threads:
            self._filters.pop(group, None)
        return known is not None

    def drop(self, thread: str) -> None:
        """The thread has ended."""
        for group in list(self._filters):
            self.leave(group, thread)

    def memberships(self) -> list[tuple[str, str]]:
        """Every thread with every group that it is in."""
        return [(thread, group) for group, threads in self._filters.items() for thread in threads]

    def takers(self, group: str, name: str) -> list[str]:
        """Threads that take a message of that name."""
        threads = self._filters.get(group, {})
        return [thread for thread, filters in threads.items() if _matches(filters, name)]


def _matches(filters: dict[str, re.Pattern[str]], name: str) -> bool:
    return "" in filters or any(pattern.fullmatch(name) for pattern in filters.values())
