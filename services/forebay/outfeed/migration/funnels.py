"""Funnels: which entries of newsfeeds end at innfeed, and how it is called there."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from forebay.outfeed.migration.newsfeeds import Entry

DEEPEST = 10
"""Funnels that one may lead through."""
_SECONDS = re.compile(r"--delay(?:=|\s+)([0-9]+)|-d\s*([0-9]+)")


class Funnel(NamedTuple):
    """A program that is innfeed in the end."""

    names_are_hosts: bool
    """A site that innfeed.conf does not have is dialled by its name."""
    delay: int = 0
    """Seconds that articles are held back before."""


def funnel_of(entry: Entry) -> Funnel | None:
    """What an entry runs, if it is innfeed."""
    if entry.kind not in "cx":
        return None
    try:
        words = shlex.split(entry.parameter)
    except ValueError:
        words = entry.parameter.split()
    return _of_command(words)


def _of_command(words: Sequence[str]) -> Funnel | None:
    program, *arguments = [word for word in words if word != "exec"] or [""]
    name = PurePosixPath(program).name
    if name == "delayer" and "--" in arguments:
        cut = arguments.index("--")
        inner = _of_command(arguments[cut + 1 :])
        found = _SECONDS.search(" ".join(arguments[:cut]))
        return inner and inner._replace(delay=int(found[1] or found[2]) if found else 0)
    if name == "startinnfeed" and arguments and not arguments[0].startswith("-"):
        return _of_command(arguments)
    if name not in ("innfeed", "startinnfeed"):
        return None
    return Funnel(any(re.fullmatch(r"-[a-zA-Z]*y[a-zA-Z]*", argument) for argument in arguments))


def end_of(entry: Entry, entries: Mapping[str, Entry]) -> Entry | None:
    """The entry that a funnel leads to; None where it leads nowhere. `entries` are by name in small letters."""
    found: Entry | None = entry
    for _ in range(DEEPEST):
        if found is None or found.kind != "m":
            return found
        found = entries.get(found.parameter.lower())
    return None
