"""Names on both sides: the URI `/plant/oven-1` is the key `plant/oven-1` of zenoh, behind a prefix if there is one."""

from __future__ import annotations

import re

from forebay.conduit.core.uri.syntax import fault_of, is_pattern

_WILDCARDS = re.compile(r"[*?]+")


class Naming:
    """Maps names. Keys may hold characters that URIs may not: those have no URI."""

    def __init__(self, prefix: str = "") -> None:
        """`prefix`: what all keys begin with, without a slash at the end."""
        self._prefix = f"{prefix}/" if prefix else ""

    def key_of(self, uri: str) -> str | None:
        """The key of a URI; None for a pattern, which is no name of one resource."""
        return None if is_pattern(uri) else self._prefix + uri[1:]

    def uri_of(self, key: str) -> str | None:
        """The URI of a key; None when it has none."""
        if not key.startswith(self._prefix):
            return None
        uri = f"/{key[len(self._prefix) :]}"
        return None if is_pattern(uri) or fault_of(uri) else uri

    def selector_of(self, pattern: str) -> str:
        """A key expression that includes the keys of all URIs that match a pattern, and maybe of others."""
        parts = []
        for part in pattern.removeprefix("/").split("/"):
            if part != "**" and "**" in part:
                # It spans slashes in the midst of a part, which nothing of zenoh does.
                parts.append("**")
                break
            parts.append(part if part in ("*", "**") else _WILDCARDS.sub("$*", part))
        return self._prefix + "/".join(("*" if part == "$*" else part) for part in parts)
