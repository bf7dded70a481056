"""Where the members of the domain's groups are."""

from collections.abc import Iterable

from forebay.router.core.groups import Groups
from forebay.router.outlet import Outlet


class GroupWays:
    """Ways to members: processes of this router, and other routers of the domain. Each gets a message once."""

    def __init__(self) -> None:
        self._threads = Groups()
        self._ways: dict[str, dict[Outlet, int]] = {}
        """Outlets of each group, with their members."""

    def join(self, group: str, thread: str, outlet: Outlet) -> bool:
        """A thread of this router joins; whether it is the group's first here."""
        if thread in self._threads.members(group):
            return False
        self.add(group, outlet)
        return self._threads.join(group, thread)

    def leave(self, group: str, thread: str, outlet: Outlet) -> bool:
        """A thread of this router leaves; whether it was the group's last here."""
        if thread not in self._threads.members(group):
            return False
        self.remove(group, outlet)
        return self._threads.leave(group, thread)

    def drop(self, thread: str, outlet: Outlet) -> list[str]:
        """A thread of this router has ended; the groups that have no other here."""
        return [group for group in list(self._threads.of(thread)) if self.leave(group, thread, outlet)]

    def add(self, group: str, outlet: Outlet) -> None:
        """One more member that way."""
        ways = self._ways.setdefault(group, {})
        ways[outlet] = ways.get(outlet, 0) + 1

    def remove(self, group: str, outlet: Outlet) -> None:
        """One member less that way."""
        ways = self._ways.get(group, {})
        if ways.get(outlet, 0) > 1:
            ways[outlet] -= 1
            return
        ways.pop(outlet, None)
        if not ways:
            self._ways.pop(group, None)

    def remove_all(self, outlet: Outlet) -> None:
        """A router of the domain is gone."""
        for group in [group for group, ways in self._ways.items() if outlet in ways]:
            self._ways[group][outlet] = 1
            self.remove(group, outlet)

    def ways(self, group: str) -> Iterable[Outlet]:
        """Where messages of a group have to go."""
        return self._ways.get(group, ())

    def of(self, thread: str) -> list[str]:
        """The groups of a thread of this router, by name."""
        return sorted(self._threads.of(thread))

    def here(self) -> list[str]:
        """The groups that have members at this router."""
        return list(self._threads.all())
