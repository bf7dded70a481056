"""The forwarders: their states by name, and what a change of the configuration makes of them."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from forebay.announcer.forwarding.forwarderstate import ForwarderState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, ValuesView

    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec

NO_SLOT = -1
"""The slot of a forwarder that was never anything but paused."""


class Forwarders:
    """One state for each forwarder. A changed spec begins a new one: another tracker, enabled and never told.

    A paused one is no forwarder for the time being, but what blocks it, and why, is there again when it goes on.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        """`changed` is called when there are others, or one is disabled, suspended or enabled."""
        self._changed = changed
        self._states: dict[str, ForwarderState] = {}
        self._paused: dict[str, ForwarderState] = {}

    def __len__(self) -> int:
        return len(self._states)

    def get(self, name: str) -> ForwarderState | None:
        """The state of a forwarder; none where there is no such."""
        return self._states.get(name)

    def all(self) -> ValuesView[ForwarderState]:
        """The states of all but the paused."""
        return self._states.values()

    def with_paused(self) -> Iterator[ForwarderState]:
        """The states of all."""
        yield from self._states.values()
        yield from self._paused.values()

    def configure(self, specs: Iterable[ForwarderSpec], paused: Iterable[ForwarderSpec] = ()) -> list[ForwarderState]:
        """Take these from now on; the states of those that are gone, changed or paused."""
        wanted = {spec.name: spec for spec in specs}
        before = {state.name: state for state in self.with_paused()}
        gone = [state for state in self._states.values() if wanted.get(state.name) != state.spec]
        for state in gone:
            del self._states[state.name]
        self._paused = {spec.name: self._state(spec, before) for spec in paused}
        for spec in wanted.values():
            if spec.name not in self._states:
                state = self._state(spec, before)
                # It may have had one before it was paused, which is another's by now.
                state.slot = self._free_slot()
                self._states[spec.name] = state
        self._changed()
        return gone

    def _state(self, spec: ForwarderSpec, before: Mapping[str, ForwarderState]) -> ForwarderState:
        """The state that there was under this spec, or a new one."""
        state = before.get(spec.name)
        return state if state is not None and state.spec == spec else ForwarderState(spec, NO_SLOT, self._changed)

    def _free_slot(self) -> int:
        taken = {state.slot for state in self._states.values()}
        return next(slot for slot in count() if slot not in taken)
