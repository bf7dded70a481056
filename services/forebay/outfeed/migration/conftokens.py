"""Words, strings, characters and signs of innfeed.conf, each with its line."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from forebay.outfeed.errors import MigrationError
from forebay.outfeed.migration.notes import Place

Value = bool | int | float | str

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*)
    |(?P<include>\$INCLUDE[ \t]+(?P<path>[^\s\#]+))
    |"(?P<string>(?:[^"\\]|\\.)*)"
    |'(?P<character>\\[0-7]{1,3}|\\.|[^'\\])'
    |(?P<sign>[:{}])
    |(?P<word>[^\s\#"':{}]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": ""}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_REAL = re.compile(r"[-+]?[0-9]+\.[0-9]*")


class ConfToken(NamedTuple):
    """One piece of the file."""

    kind: str
    """`word`, `string`, `character`, `sign` or `include`."""
    text: str
    """What it stands for, without quotes and escapes."""
    place: Place

    @property
    def value(self) -> Value:
        """What it is as a value: of a word the number or the truth that it spells, if it spells one."""
        if self.kind != "word":
            return self.text
        if self.text.lower() in ("true", "false"):
            return self.text.lower() == "true"
        if _INTEGER.fullmatch(self.text):
            return int(self.text)
        return float(self.text) if _REAL.fullmatch(self.text) else self.text


def conf_tokens(file: str, text: str) -> Iterator[ConfToken]:
    """Cut a file up, comments and white space left out. Raises `MigrationError` at a quote that is never closed."""
    position, line = 0, 1
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise MigrationError(Place(file, line), f"{text[position]} begins a text that has no end: close it")
        if found["space"] is None:
            yield _token(found, Place(file, line))
        line += text.count("\n", position, found.end())
        position = found.end()


def _token(found: re.Match[str], place: Place) -> ConfToken:
    if found["include"] is not None:
        return ConfToken("include", found["path"], place)
    kind = found.lastgroup or ""
    text = found[kind]
    return ConfToken(kind, _ESCAPE.sub(_unescaped, text) if kind in ("string", "character") else text, place)


def _unescaped(found: re.Match[str]) -> str:
    escape = found[1]
    return chr(int(escape, 8) & 0xFF) if escape[0] in "01234567" else _ESCAPED.get(escape, escape)
