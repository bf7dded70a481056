"""innfeed.conf: settings, peers and groups as innfeed.conf(5) describes them, with inheritance and includes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from forebay.outfeed.errors import MigrationError
from forebay.outfeed.migration.conftokens import ConfToken, Value, conf_tokens
from forebay.outfeed.migration.notes import Place

DEEPEST_INCLUDE = 10
BLOCKS = ("peer", "group")


class Setting(NamedTuple):
    """The value of a key."""

    key: str
    value: Value
    place: Place


@dataclass
class Scope:
    """The settings of the file itself, of a group or of a peer."""

    name: str
    place: Place
    around: "Scope | None" = None
    """The group that it stands in, or the file; None for the file."""
    settings: dict[str, Setting] = field(default_factory=dict)
    """Its own, by key."""

    def find(self, key: str) -> Setting | None:
        """A setting of its own, else of the closest scope around that has it; None where none has."""
        return self.settings.get(key) or (self.around.find(key) if self.around else None)


@dataclass
class InnfeedConf:
    """A file with all that it includes."""

    top: Scope
    groups: list[Scope] = field(default_factory=list)
    peers: dict[str, Scope] = field(default_factory=dict)
    """By name, in the order of the file."""

    @property
    def scopes(self) -> Iterator[Scope]:
        """All of it: the file, the groups, the peers."""
        yield from (self.top, *self.groups, *self.peers.values())


def read_innfeed_conf(file: Path, text: str, load: Callable[[Path], str]) -> InnfeedConf:
    """Read a file; `load` gives the text of one that it includes, whose path is relative to the folder of `file`.

    Raises `MigrationError` where innfeed could not read it either, and what `load` raises.
    """
    conf = InnfeedConf(Scope("", Place(str(file), 1)))
    _Reader(conf, file.parent, load).read(file, text)
    return conf


class _Reader:
    """Takes the file in token by token; blocks may be opened in one file and closed in another."""

    def __init__(self, conf: InnfeedConf, folder: Path, load: Callable[[Path], str]) -> None:
        self._conf = conf
        self._folder = folder
        self._load = load
        self._scope = conf.top
        self._tokens: Iterator[ConfToken] = iter(())

    def read(self, file: Path, text: str) -> None:
        self._tokens = self._with_includes(file, text, 0)
        for token in self._tokens:
            self._statement(token)
        if self._scope.around:
            raise MigrationError(self._scope.place, f"the block of {self._scope.name} has no end: close it by }}")

    def _with_includes(self, file: Path, text: str, depth: int) -> Iterator[ConfToken]:
        for token in conf_tokens(str(file), text):
            if token.kind != "include":
                yield token
            elif depth == DEEPEST_INCLUDE:
                raise MigrationError(token.place, f"$INCLUDE goes deeper than {DEEPEST_INCLUDE} files: does it loop?")
            else:
                path = self._folder / token.text
                yield from self._with_includes(path, self._load(path), depth + 1)

    def _statement(self, first: ConfToken) -> None:
        if first == ("sign", "}", first.place):
            self._close(first)
            return
        second = self._next(first)
        if first.kind == "word" and second.text == ":" and second.kind == "sign":
            self._set(first, self._next(second))
        elif first.kind == "word" and first.text.lower() in BLOCKS and second.kind in ("word", "string"):
            self._open(first.text.lower(), second)
        else:
            problem = f"{first.text!r} begins neither KEY: VALUE nor a peer or group; a value with a colon needs quotes"
            raise MigrationError(first.place, problem)

    def _next(self, before: ConfToken) -> ConfToken:
        token = next(self._tokens, None)
        if token is None:
            raise MigrationError(before.place, f"the file ends after {before.text!r}: finish what begins there")
        return token

    def _set(self, key: ConfToken, value: ConfToken) -> None:
        if value.kind == "sign":
            raise MigrationError(key.place, f"{key.text} has no value: give one, or remove the key")
        if key.text in self._scope.settings:
            raise MigrationError(key.place, f"{key.text} is given twice: remove one")
        self._scope.settings[key.text] = Setting(key.text, value.value, key.place)

    def _open(self, kind: str, name: ConfToken) -> None:
        brace = self._next(name)
        if brace != ("sign", "{", brace.place):
            raise MigrationError(name.place, f"{kind} {name.text} has no block: open one by {{")
        if self._scope.name in self._conf.peers:
            raise MigrationError(name.place, f"{kind} {name.text} stands within peer {self._scope.name}: move it out")
        self._scope = Scope(name.text, name.place, self._scope)
        if kind == "group":
            self._conf.groups.append(self._scope)
        elif name.text in self._conf.peers:
            raise MigrationError(name.place, f"peer {name.text} is given twice: remove one")
        else:
            self._conf.peers[name.text] = self._scope

    def _close(self, brace: ConfToken) -> None:
        if self._scope.around is None:
            raise MigrationError(brace.place, "} closes nothing: remove it")
        self._scope = self._scope.around
