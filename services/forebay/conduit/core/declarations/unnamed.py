"""Samples written by a URI that has no id yet, for peers that pull: they are kept once it has one."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.conduit.core.declarations.definitions import Definition
    from forebay.conduit.core.declarations.own import OwnDeclarations


class Unnamed:
    """Defines the resources of such URIs; a definition stays, since kept samples tell it by its id.

    If peers refuse one, the event of that says so, and its samples are not kept.
    """

    def __init__(
        self, most_kept: int, own: OwnDeclarations, keep: Callable[[str, int, Sequence[bytes], float], None]
    ) -> None:
        """`keep` gets the URI, its id, the samples, and the time; of each URI the last `most_kept` samples wait."""
        self._most_kept = most_kept
        self._own = own
        self._keep = keep
        self._waiting: dict[str, deque[bytes]] = {}

    def keep(self, uri: str, samples: Sequence[bytes], now: float) -> int | None:
        """The id of a URI; None: it is being defined, and they are kept then, or it is refused."""
        waiting = self._waiting.get(uri)
        if waiting is None:
            rid = self._own.rid(uri)
            if rid is not None:
                return rid
            definition = self._own.define(None, self._own.meaning(uri), now)
            if definition.status is not None:
                return None if definition.status else definition.rid
            waiting = self._waiting[uri] = deque(maxlen=self._most_kept)
            then = self._own.waiting.setdefault(definition, [])
            then.append(lambda at: self._settled(definition, at))
        waiting.extend(samples)
        return None

    def _settled(self, definition: Definition, now: float) -> None:
        samples = self._waiting.pop(definition.uri)
        if not definition.status:
            self._keep(definition.uri, definition.rid, tuple(samples), now)
