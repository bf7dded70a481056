"""newsfeeds: the entries of INN's file of feeds, as newsfeeds(5) describes them, with joined lines and variables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from forebay.outfeed.errors import MigrationError
from forebay.outfeed.migration.notes import Note, Place

_VARIABLE = re.compile(r"([!@]?)\$([A-Za-z][A-Za-z0-9_]*)")
_ASSIGNMENT = re.compile(r"\$([A-Za-z][A-Za-z0-9_]*)=(.*)")
ME = "ME"


@dataclass(frozen=True)
class Entry:
    """One feed, or ME."""

    name: str
    place: Place
    excludes: tuple[str, ...]
    patterns: tuple[str, ...]
    distributions: tuple[str, ...]
    flags: tuple[str, ...]
    parameter: str

    @property
    def kind(self) -> str:
        """Letter of its T flag; `f` where it has none."""
        return next((flag[1:2] for flag in reversed(self.flags) if flag.startswith("T")), "f")


@dataclass
class Newsfeeds:
    """What the file holds."""

    me: Entry | None = None
    entries: list[Entry] = field(default_factory=list)
    """All but ME, in the order of the file."""
    notes: list[Note] = field(default_factory=list)


def read_newsfeeds(file: str, text: str) -> Newsfeeds:
    """Read a file. Raises `MigrationError` where a line is no entry."""
    feeds = Newsfeeds()
    variables: dict[str, str] = {}
    for place, line in _logical_lines(file, text):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("$"):
            name, value = _assignment(place, line)
            variables[name] = _expanded(value, variables)
        else:
            _add(feeds, _entry(place, _expanded(line, variables)))
    if feeds.me is None:
        feeds.notes.append(Note(Place(file, 1), ME, "there is no such entry, with which INN would not start"))
    return feeds


def _add(feeds: Newsfeeds, entry: Entry) -> None:
    items = (*entry.excludes, *entry.patterns, *entry.distributions, *entry.flags)
    if lost := next((item for item in items if _VARIABLE.search(item)), None):
        raise MigrationError(entry.place, f"{entry.name}: {lost} names a variable that is not set before it")
    if entry.name != ME:
        feeds.entries.append(entry)
    elif feeds.me is None:
        feeds.me = entry
    else:
        raise MigrationError(entry.place, f"there is a second entry {ME}, and INN takes one: remove one")


def _logical_lines(file: str, text: str) -> Iterator[tuple[Place, str]]:
    """Lines joined where one ends in a backslash, each with the place where it begins."""
    whole, begins = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if whole:
            line = line.lstrip(" \t")
        begins = begins or number
        if line.endswith("\\"):
            whole += line[:-1]
            continue
        yield Place(file, begins), whole + line
        whole, begins = "", 0
    if whole:
        yield Place(file, begins), whole


def _assignment(place: Place, line: str) -> tuple[str, str]:
    found = _ASSIGNMENT.fullmatch(line.rstrip())
    if found is None:
        raise MigrationError(place, f"{line.strip()} sets no variable: write $NAME=VALUE")
    return found[1], found[2]


def _expanded(line: str, variables: dict[str, str]) -> str:
    """The line with the values of variables in it. A sign before one goes before each of its members."""

    def value(found: re.Match[str]) -> str:
        sign, name = found.groups()
        return found[0] if name not in variables else sign + variables[name].replace(",", f",{sign}")

    return _VARIABLE.sub(value, line)


def _entry(place: Place, line: str) -> Entry:
    fields = line.split(":", 3)
    if len(fields) < 3:
        problem = f"{line.strip()!r:.60} is no entry: give SITE:PATTERNS:FLAGS:PARAMETER"
        raise MigrationError(place, problem)
    site, _, excludes = fields[0].partition("/")
    patterns, _, distributions = fields[1].partition("/")
    return Entry(
        name=site.strip(),
        place=place,
        excludes=_items(excludes),
        patterns=_items(patterns),
        distributions=_items(distributions),
        flags=_items(fields[2]),
        parameter=fields[3].strip() if len(fields) > 3 else "",
    )


def _items(text: str) -> tuple[str, ...]:
    return tuple(item for part in text.split(",") if (item := part.strip()))
