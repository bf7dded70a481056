"""Reasons without keys: a tracker's URL may hold one, and why it failed is shown to others than its owner."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN = "…"
SHORTEST = 6
"""Characters of a key; shorter ones would be found within other words."""

_URL = re.compile(r"(\b[a-z]+://(?:[^\s/?#'\"@]*@)?)([^\s/?#'\"]+)[^\s'\"]*")


def without_keys(text: str, url: str) -> str:
    """A text with all URLs cut behind their hosts, and without the parts of this one that may be keys."""
    text = _URL.sub(lambda found: f"{found[1].partition('://')[0]}://{found[2]}", text)
    for key in sorted(_keys(url), key=len, reverse=True):
        text = text.replace(key, HIDDEN)
    return text


def _keys(url: str) -> Iterator[str]:
    parts = urlsplit(url)
    values = [value for _, value in parse_qsl(parts.query)]
    for part in (*parts.path.split("/"), *values, parts.password or ""):
        for key in {part, unquote(part)}:
            if len(key) >= SHORTEST and not key.startswith(("announce", "scrape")):
                yield key
