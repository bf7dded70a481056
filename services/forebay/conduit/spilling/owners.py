"""The names of spools, which tell what lies in them: whoever comes after the node that wrote it can send it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Owner:
    """One publisher whose samples wait."""

    node: str
    """Name of the node."""
    resource: int | str
    """What it publishes: an id, or a URI."""
    conduit: int = 0
    reliable: bool | None = None
    switching: bool = False
    mark: str = ""
    """Tells publishers of one resource apart."""

    def __str__(self) -> str:
        reliable = {None: "-", True: "r", False: "u"}[self.reliable]
        flags = f"{reliable}{'s' if self.switching else '-'}"
        return f"{self.node}/{self.mark}/{self.conduit}/{flags}/{self.resource}"

    def marked(self) -> Owner:
        """With a mark that no other has."""
        return replace(self, mark=secrets.token_hex(6))


def parse_owner(text: str) -> Owner | None:
    """Read a name; None when it is of another form."""
    node, mark, conduit, flags, resource = [*text.split("/", 4), "", "", "", "", ""][:5]
    known = {"-": None, "r": True, "u": False}
    if not (conduit.isascii() and conduit.isdecimal() and len(flags) == 2 and flags[0] in known and resource):
        return None
    what = resource if resource.startswith(("/", "*")) else _number(resource)
    return None if what is None else Owner(node, what, int(conduit), known[flags[0]], flags[1] == "s", mark)


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
