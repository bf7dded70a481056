"""Patterns made ready for matching: against a URI, and against another pattern.

A pattern is taken as an automaton with a state before each of its characters or wildcards and one behind the last;
a set of states is the bits of one integer. Work grows with the product of both lengths at most, however many wildcards
there are: patterns come from peers, and a matcher that tries all ways in turn could be kept busy by one.
"""

from __future__ import annotations

from functools import lru_cache

from forebay.conduit.core.uri.syntax import is_pattern, prefix_of, suffix_of

_ANY = "**"
_PART = "*"
_ONE = "?"


class Pattern:
    """A valid URI or pattern; two of them match when some string matches both."""

    __slots__ = (
        "_accepting",
        "_deep",
        "_literals",
        "_part",
        "_prefix",
        "_singles",
        "_stars",
        "_suffix",
        "_tokens",
    )

    def __init__(self, uri: str) -> None:
        self._prefix = prefix_of(uri)
        self._suffix = suffix_of(uri)
        self._tokens = _tokens(uri)
        self._accepting = 1 << len(self._tokens)
        self._deep = self._states(_ANY)
        self._part = self._states(_PART)
        self._stars = self._deep | self._part
        self._singles = self._states(_ONE)
        self._literals = {token: self._states(token) for token in self._tokens if token not in (_ANY, _PART, _ONE)}

    def matches(self, uri: str) -> bool:
        """Whether this pattern matches a URI without wildcards."""
        if not (uri.startswith(self._prefix) and uri.endswith(self._suffix)):
            return False
        states = self._rested(1 << len(self._prefix))
        for character in uri[len(self._prefix) :]:
            states = self._after(states, character)
            if not states:
                return False
        return bool(states & self._accepting)

    def intersects(self, other: Pattern) -> bool:
        """Whether some string matches both."""
        if not (_agree(self._prefix, other._prefix) and _agree(self._suffix[::-1], other._suffix[::-1])):
            return False
        states = self._rested(1)
        for token in other._tokens:
            if token == _ANY:
                # From a state every later one is reached by some string.
                states = (self._accepting << 1) - (states & -states)
            elif token == _PART:
                states = self._after_part(states)
            elif token == _ONE:
                states = self._after_one(states)
            else:
                states = self._after(states, token)
            if not states:
                return False
        return bool(states & self._accepting)

    def _states(self, token: str) -> int:
        return sum(1 << place for place, found in enumerate(self._tokens) if found == token)

    def _rested(self, states: int) -> int:
        """With the states that are reached without a character: a star may stand for nothing; no two are adjacent."""
        return states | (states & self._stars) << 1

    def _after(self, states: int, character: str) -> int:
        """States after one more character."""
        moving, staying = self._literals.get(character, 0), self._deep
        if character != "/":
            moving |= self._singles
            staying |= self._part
        return self._rested((states & moving) << 1 | states & staying)

    def _after_one(self, states: int) -> int:
        """States after some character that is no slash."""
        moving = ~(self._literals.get("/", 0) | self._stars | self._accepting)
        return self._rested((states & moving) << 1 | states & self._stars)

    def _after_part(self, states: int) -> int:
        """States after any number of characters without a slash."""
        while (more := states | self._after_one(states)) != states:
            states = more
        return states


@lru_cache(maxsize=4096)
def pattern_of(uri: str) -> Pattern:
    """The pattern of a valid URI; those used of late are kept."""
    return Pattern(uri)


def matches(first: str, second: str) -> bool:
    """Whether some string matches both of two valid URIs or patterns."""
    if not is_pattern(second):
        return first == second or (is_pattern(first) and pattern_of(first).matches(second))
    if not is_pattern(first):
        return pattern_of(second).matches(first)
    return pattern_of(first).intersects(pattern_of(second))


def _agree(first: str, second: str) -> bool:
    """Whether one begins with the other."""
    return first.startswith(second) or second.startswith(first)


def _tokens(uri: str) -> list[str]:
    tokens: list[str] = []
    for character in uri:
        if character == "*" and tokens and tokens[-1] == _PART:
            tokens[-1] = _ANY
        else:
            tokens.append(character)
    return tokens
