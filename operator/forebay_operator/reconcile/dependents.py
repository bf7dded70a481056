"""Which resources have to be looked at again when another changes. Pure."""

from collections.abc import Iterable

from forebay_operator.queue import Key


class Dependents:
    """What each resource was made of when it was last reconciled, whether it was there or missing."""

    def __init__(self) -> None:
        self._needs: dict[Key, frozenset[Key]] = {}

    def depend(self, dependent: Key, needs: Iterable[Key]) -> None:
        """Note what a resource is made of, in place of what was noted before."""
        self._needs[dependent] = frozenset(needs)

    def forget(self, dependent: Key) -> None:
        """The resource is gone."""
        self._needs.pop(dependent, None)

    def of(self, key: Key) -> set[Key]:
        """The resources that are made of this one."""
        return {dependent for dependent, needs in self._needs.items() if key in needs}
