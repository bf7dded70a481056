"""Newsgroup patterns: the wildmat of RFC 3977 section 4, with the sets, escapes and poison (`@`) news servers add.

Patterns are separated by commas; the last one that matches a group decides. `*` is any text, `?` one character, `[a-z]`
one of a set, `[^a-z]` one outside it, a backslash takes the next character as it is. A pattern behind `!` says no. One
behind `@` says no too, and poisons: an article posted to such a group is not wanted, whatever its other groups.
"""

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from itertools import groupby

from forebay.outfeed.errors import PatternError

_SET = r"\[\^?\]?[^\]]*\]"
_ITEM = rf"(?:\\.|{_SET}|[^,\\\[])*"
_LIST = re.compile(rf"{_ITEM}(?:,{_ITEM})*", re.DOTALL)
_ITEMS = re.compile(_ITEM, re.DOTALL)
_TOKEN = re.compile(rf"\\(.)|({_SET})|(\*+)|(\?)|([^\\\[*?]+)", re.DOTALL)
_MEMBER = re.compile(r"(.)(?:-(.))?", re.DOTALL)


class Match(Enum):
    """What a list of patterns says of a group or an article."""

    NO = "no pattern asks for it"
    YES = "wanted"
    POISON = "poisoned"


_SIGNS = {"!": Match.NO, "@": Match.POISON}


class Wildmat:
    """A compiled list of patterns. Use `compile_wildmat`, which keeps what it compiled.

    All patterns are one regular expression, the last pattern first, so that the first alternative that matches decides.
    Every `*` but the last of a pattern is atomic: matching takes time in proportion to the pattern times the name.
    """

    def __init__(self, patterns: str) -> None:
        self.patterns = patterns
        self._verdicts = [Match.NO]
        alternatives = []
        for verdict, run in groupby(reversed(_signed_items(patterns)), key=lambda pair: pair[0]):
            self._verdicts.append(verdict)
            alternatives.append("(" + "|".join(_expression(text) for _, text in run) + ")")
        self._regex = re.compile("|".join(alternatives), re.DOTALL)

    def match(self, group: bytes) -> Match:
        """What the patterns say of one group; characters are those of UTF-8."""
        found = self._regex.fullmatch(group.decode("utf-8", "surrogateescape"))
        return self._verdicts[(found and found.lastindex) or 0]

    def decider(self, group: bytes) -> str:
        """The pattern that decides about a group, as it was given; empty when none matches. Slow: to tell people."""
        name = group.decode("utf-8", "surrogateescape")
        signs = {verdict: sign for sign, verdict in _SIGNS.items()}
        for verdict, text in reversed(_signed_items(self.patterns)):
            if re.fullmatch(_expression(text), name, re.DOTALL):
                return signs.get(verdict, "") + text
        return ""

    def match_all(self, groups: Sequence[bytes]) -> Match:
        """What they say of an article posted to these groups."""
        verdicts = {self.match(group) for group in groups}
        if Match.POISON in verdicts:
            return Match.POISON
        return Match.YES if Match.YES in verdicts else Match.NO


@lru_cache(1024)
def compile_wildmat(patterns: str) -> Wildmat:
    """Read a comma list of patterns. Raises `PatternError`."""
    return Wildmat(patterns)


def _signed_items(patterns: str) -> list[tuple[Match, str]]:
    """Each pattern of a comma list, with what a match of it means."""
    if _LIST.fullmatch(patterns) is None:
        raise PatternError(f"groups {patterns!r} has an open [ or a backslash at its end: put a backslash before it")
    items = [item for found in _ITEMS.findall(patterns) if (item := found.strip())]
    signed = [(_SIGNS[item[0]], item[1:]) if item[0] in _SIGNS else (Match.YES, item) for item in items]
    if not signed or not all(text for _, text in signed):
        raise PatternError(f"groups {patterns!r} has a pattern without text: use * for all groups")
    return signed


def _expression(pattern: str) -> str:
    """One pattern as a regular expression."""
    first, *parts = _between_stars(pattern)
    if not parts:
        return first
    return first + "".join(f"(?>.*?{part})" for part in parts[:-1]) + ".*" + parts[-1]


def _between_stars(pattern: str) -> list[str]:
    parts = [""]
    for escaped, members, stars, one, text in _TOKEN.findall(pattern):
        if stars:
            parts.append("")
        else:
            parts[-1] += "." if one else _set(members) if members else re.escape(escaped or text)
    return parts


def _set(brackets: str) -> str:
    """A set such as [a-z] or [^a-z]; its members stand for themselves but for the dash between two."""
    negated = brackets.startswith("[^")
    members = []
    for low, high in _MEMBER.findall(brackets[2 if negated else 1 : -1]):
        if high and low > high:
            raise PatternError(f"groups has a set {brackets!r} whose range {low}-{high} is empty: swap its ends")
        members.append(f"{re.escape(low)}-{re.escape(high)}" if high else re.escape(low))
    return f"[{'^' if negated else ''}{''.join(members)}]"
