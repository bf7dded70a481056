"""The company that failures stand in: between proper answers the articles are at fault, in a long row the peer is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.outfeed.sending.replies import OUTCOMES, WANTED

if TYPE_CHECKING:
    from forebay.outfeed.sending.replies import Command
    from forebay.outfeed.token import Token


class Company:
    """Finds the failures of one connection that were followed by a proper answer to the same command.

    Another command tells nothing: a peer may want every article that it is asked about, and fail at all that it gets.
    """

    def __init__(self) -> None:
        self._rows: dict[Command, list[Token]] = {}
        """Failures since the last proper answer; at most what is on a connection whose peer does nothing but fail."""
        self._found: list[Token] = []

    def note(self, command: Command, code: bytes, tokens: list[Token]) -> None:
        """All of `tokens` got `code` as the answers to `command`, in the order of the replies."""
        if code not in OUTCOMES[command] and code != WANTED.get(command):
            self._rows.setdefault(command, []).extend(tokens)
        elif row := self._rows.pop(command, None):
            self._found += row

    def found(self) -> list[Token]:
        """Failures that are known since the last call to stand between proper answers."""
        found, self._found = self._found, []
        return found
