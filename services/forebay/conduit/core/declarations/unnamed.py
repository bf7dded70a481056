"""Samples written by a URI that has no id yet, for peers that pull: they are kept once it has one."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.conduit.core.declarations.definitions import Definition
    from forebay.conduit.core.declarations.own import OwnDeclarations
    from forebay.conduit.core.declarations.settings import DeclarationSettings


class Unnamed:
    """Defines the resources of such URIs; kept samples tell it by its id, so as long as there are some it stays.

    Of other ones so many stay that a program which writes the same URIs again and again defines none of them twice. If
    peers refuse one, the event of that says so, and its samples are not kept.
    """

    def __init__(
        self,
        settings: DeclarationSettings,
        own: OwnDeclarations,
        kept: Callable[[], set[int]],
        keep: Callable[[str, int, Sequence[bytes], float], None],
    ) -> None:
        """`kept` gives the ids that samples are kept of; `keep` gets the URI, its id, the samples, and the time."""
        self._most = settings.most_named
        self._limit = settings.most_named
        self._most_kept = settings.kept_samples
        self._own = own
        self._kept = kept
        self._keep = keep
        self._waiting: dict[str, deque[bytes]] = {}
        """Of each URI that is being defined the last samples."""
        self._defined: dict[str, Definition] = {}
        """The ones that were written last at the end."""

    def keep(self, uri: str, samples: Sequence[bytes], now: float) -> int | None:
        """The id of a URI; None: it is being defined, and they are kept then, or it is refused."""
        waiting = self._waiting.get(uri)
        if waiting is None:
            rid = self._own.rid(uri)
            if rid is not None:
                self._touch(uri)
                return rid
            if len(self._waiting) >= self._most:
                return None
            definition = self._define(uri, now)
            if definition.status is not None:
                return None if definition.status else definition.rid
            waiting = self._waiting[uri] = deque(maxlen=self._most_kept)
            then = self._own.waiting.setdefault(definition, [])
            then.append(lambda at: self._settled(definition, at))
        waiting.extend(samples)
        return None

    def _define(self, uri: str, now: float) -> Definition:
        if (before := self._defined.pop(uri, None)) is not None:
            self._own.undefine(before.number)
        self._forget()
        definition = self._defined[uri] = self._own.define(None, self._own.meaning(uri), now)
        return definition

    def _touch(self, uri: str) -> None:
        if (definition := self._defined.pop(uri, None)) is not None:
            self._defined[uri] = definition

    def _forget(self) -> None:
        """Of too many, those go that were written first, and of which nothing is kept."""
        if len(self._defined) < self._limit:
            return
        kept = self._kept()
        spare = [uri for uri, each in self._defined.items() if each.rid not in kept and uri not in self._waiting]
        for uri in spare[: max(0, len(self._defined) - self._most // 2)]:
            self._own.undefine(self._defined.pop(uri).number)
        # Not to look again soon where most have to stay.
        self._limit = max(self._most, 2 * len(self._defined))

    def _settled(self, definition: Definition, now: float) -> None:
        samples = self._waiting.pop(definition.uri)
        if not definition.status:
            self._keep(definition.uri, definition.rid, tuple(samples), now)
