"""Which URIs and patterns are valid, and the one form in which a pattern is written.

A URI names a resource, as `/plant/oven-1/temp`. In a pattern `?` stands for one character of a part, `*` for any number
of them, none too, and `**` for any number of characters, slashes too.
"""

from __future__ import annotations

import re

from forebay.conduit.core.errors import InvalidUriError

MAX_URI = 256
"""Characters that a URI may have unless a node is told otherwise. A zhe program takes 100, or 40 in its large form."""

_STRANGE = re.compile(r"[^A-Za-z0-9_\-/?*]")
_WILDCARDS = re.compile(r"[*?]{2,}")
_TOKENS = re.compile(r"\*{2,}|\*|\?")


def fault_of(uri: str, limit: int = MAX_URI) -> str | None:
    """Which rule a URI or pattern breaks, and what would do; None for a valid one."""
    if len(uri) > limit:
        return f"it has {len(uri)} characters, more than the {limit} that this node takes: use a shorter one"
    if not uri.startswith(("/", "**")):
        return "it does not start with / or **: put a / before it"
    if uri.endswith("/"):
        return "it ends with a /: leave that out"
    strange = _STRANGE.search(uri)
    if strange:
        return f"it holds {strange[0]!r} at {strange.start()}: use letters, digits, _, -, / and the wildcards ? and *"
    return next((fault for text, fault in _FORBIDDEN if text in uri), None)


_FORBIDDEN = (
    ("//", "it holds //: write one /"),
    ("***", "it holds ***: write **"),
    ("**?", "it holds **?: a character before or after ** cannot be asked for, leave out the ?"),
    ("*?", "it holds *?: write ?*"),
)


def check_uri(uri: str, limit: int = MAX_URI) -> None:
    """Raise `InvalidUriError` unless the URI or pattern is valid."""
    fault = fault_of(uri, limit)
    if fault:
        raise InvalidUriError(uri, fault)


def is_pattern(uri: str) -> bool:
    """Whether it holds wildcards, and so may stand for many resources."""
    return "*" in uri or "?" in uri


def prefix_of(uri: str) -> str:
    """What comes before the first wildcard: every URI that matches begins with it."""
    return uri[: min((place for place in map(uri.find, "*?") if place >= 0), default=len(uri))]


def suffix_of(uri: str) -> str:
    """What comes behind the last wildcard: every URI that matches ends with it."""
    return uri[max(uri.rfind("*"), uri.rfind("?")) + 1 :]


def canonical(uri: str, limit: int = MAX_URI) -> str:
    """The valid URI or pattern that matches the same strings, of which there is one way to write its wildcards.

    Raises `InvalidUriError` when there is none.
    """
    found = _WILDCARDS.sub(_ordered, uri)
    check_uri(found, limit)
    return found


def _ordered(match: re.Match[str]) -> str:
    """A run of wildcards in order: single characters, then one star, or two if any were adjacent.

    What follows `**` is left as it is unless it is a star: the last character before a part's end cannot be told else.
    """
    tokens = _TOKENS.findall(match[0])
    deep = next((place for place, token in enumerate(tokens) if len(token) > 1), len(tokens))
    ahead, behind = tokens[:deep], tokens[deep:]
    singles = "?" * ahead.count("?")
    if behind:
        return singles + "**" + "?" * behind.count("?")
    return singles + "*" * ("*" in ahead)
