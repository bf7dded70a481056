"""The forwarders: their states by name, and what a change of the configuration makes of them."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from forebay.announcer.forwarding.forwarderstate import ForwarderState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, ValuesView

    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec


class Forwarders:
    """One state for each forwarder. A changed spec begins a new one: another tracker, enabled and never told."""

    def __init__(self, changed: Callable[[], None]) -> None:
        """`changed` is called when there are others, or one is disabled, suspended or enabled."""
        self._changed = changed
        self._states: dict[str, ForwarderState] = {}

    def __len__(self) -> int:
        return len(self._states)

    def get(self, name: str) -> ForwarderState | None:
        """The state of a forwarder; none where there is no such."""
        return self._states.get(name)

    def all(self) -> ValuesView[ForwarderState]:
        """The states of all."""
        return self._states.values()

    def configure(self, specs: Iterable[ForwarderSpec]) -> list[ForwarderState]:
        """Take these from now on; the states of those that are gone or changed."""
        wanted = {spec.name: spec for spec in specs}
        gone = [state for state in self._states.values() if wanted.get(state.name) != state.spec]
        for state in gone:
            del self._states[state.name]
        for spec in wanted.values():
            if spec.name not in self._states:
                self._states[spec.name] = ForwarderState(spec, self._free_slot(), self._changed)
        self._changed()
        return gone

    def _free_slot(self) -> int:
        taken = {state.slot for state in self._states.values()}
        return next(slot for slot in count() if slot not in taken)
