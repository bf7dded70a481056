"""What a peer says when it does not take articles: how often it said what, in a bounded number of texts."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from forebay.outfeed.sending.feed import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTED = (Outcome.REFUSED, Outcome.REJECTED, Outcome.DEFERRED, Outcome.FAILED)
"""Outcomes whose replies are counted."""
MOST_TEXTS = 40
"""Texts that are told apart for one peer; a text that comes later counts as `OTHER`."""
LONGEST = 120
"""Characters of a text that are kept."""
OTHER = "other"

_READ = 400
"""Characters of a reply that are looked at."""
_MESSAGE_ID = re.compile(r"<[^<>\s]+@[^<>\s]*>?")
_ADDRESS = re.compile(
    r"\[[0-9a-fA-F:.]*:[0-9a-fA-F:.]*\]|\b(?:\d{1,3}\.){3}\d{1,3}\b|\b[0-9a-fA-F]+(?::[0-9a-fA-F]*){3,}"
)
_HOST = re.compile(r"\b(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}\b(?!\.\*)")
_QUOTED = re.compile(r'"(?:([A-Za-z-]*)|[^"]*)"')
"""What INN quotes is a value of the article, such as a newsgroup, or the name of a header, which says what is wrong."""
_NUMBER = re.compile(r"\d+")


class ReplyCount(NamedTuple):
    """How often a peer said one thing."""

    outcome: Outcome
    text: str
    """The code and the normalised text, as `439 too large: # octets`; or `OTHER`."""
    articles: int


def normalised(reply: str) -> str:
    """A reply, with its code; `<id>`, `"..."`, `host` and `#` stand for what differs from article to article."""
    text = reply[:_READ]
    code, rest = (text[:3], text[3:]) if text[:3].isdigit() else ("", text)
    rest = _MESSAGE_ID.sub("<id>", rest)
    rest = _QUOTED.sub(lambda quoted: quoted[0] if quoted[1] else '"..."', rest)
    rest = _HOST.sub("host", _ADDRESS.sub("host", rest))
    return " ".join((code + _NUMBER.sub("#", rest)).split())[:LONGEST]


class ReplyTexts:
    """Counts for one peer since the start of the service."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Outcome, str]] = Counter()
        self._others: Counter[Outcome] = Counter()

    def __iter__(self) -> Iterator[ReplyCount]:
        """The most frequent first; what counts as `OTHER` last, a row for each outcome."""
        for (outcome, text), articles in self._counts.most_common():
            yield ReplyCount(outcome, text, articles)
        for outcome, articles in self._others.most_common():
            yield ReplyCount(outcome, OTHER, articles)

    def add(self, outcome: Outcome, reply: str, articles: int) -> None:
        """So many articles got this reply."""
        if outcome not in COUNTED:
            return
        key = outcome, normalised(reply)
        if key in self._counts or len(self._counts) < MOST_TEXTS:
            self._counts[key] += articles
        else:
            self._others[outcome] += articles
