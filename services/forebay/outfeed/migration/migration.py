"""A migration: innfeed.conf and newsfeeds, recognised, read, translated, and written as YAML."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from forebay.outfeed.errors import MigrationError
from forebay.outfeed.migration.innfeedconf import InnfeedConf, read_innfeed_conf
from forebay.outfeed.migration.newsfeeds import Newsfeeds, read_newsfeeds
from forebay.outfeed.migration.notes import Note, Place
from forebay.outfeed.migration.peermanifests import Manifest, PeerManifest, outfeed_manifests, peer_manifests
from forebay.outfeed.migration.translation import Translator

INNFEED_CONF, NEWSFEEDS = "innfeed.conf", "newsfeeds"
_LOOKS_LIKE = {
    INNFEED_CONF: re.compile(r"(?im)^\s*(?:peer|group)\s+\S+\s*\{|^\s*(?:max-connections|news-spool|streaming)\s*:"),
    NEWSFEEDS: re.compile(r"(?m)^ME[/:\\]|:(?:[^:\n]*,)?T[cfmlpx]\b"),
}


def kind_of(path: Path, text: str) -> str:
    """Which of the two files it is, by its name, else by what it holds; empty where it is neither."""
    named = next((kind for kind in _LOOKS_LIKE if kind in path.name), "")
    return named or next((kind for kind, looks in _LOOKS_LIKE.items() if looks.search(text)), "")


@dataclass(frozen=True)
class Migration:
    """What was made of INN's files."""

    service: list[Manifest]
    """The Outfeed and its Spill."""
    peers: list[PeerManifest]
    """Those that can be resources."""
    notes: list[Note]
    """All that could not be carried over, in the order of the files."""

    def service_yaml(self) -> str:
        """The Outfeed and its Spill."""
        return _documents(self.service)

    def peers_yaml(self) -> str:
        """The Peerfeeds, each behind the notes about it."""
        parts = ["".join(f"# {note}\n" for note in peer.notes) + _documents([peer.manifest]) for peer in self.peers]
        return "---\n".join(parts)

    def secrets_yaml(self) -> str:
        """The Secrets that the Peerfeeds name; empty when there is none."""
        return _documents(peer.secret for peer in self.peers if peer.secret)


def migrate(files: Sequence[tuple[Path, str]], outfeed: str, load: Callable[[Path], str]) -> Migration:
    """Translate one innfeed.conf, one newsfeeds, or one of each, into the peers of an Outfeed.

    `files` are paths with what is in them, all of which `kind_of` knows; `load` gives the text of an included file.
    Raises `MigrationError`, and what `load` raises.
    """
    conf: InnfeedConf | None = None
    feeds: Newsfeeds | None = None
    for path, text in files:
        kind = kind_of(path, text)
        if conf is None and kind == INNFEED_CONF:
            conf = read_innfeed_conf(path, text, load)
        elif feeds is None and kind == NEWSFEEDS:
            feeds = read_newsfeeds(str(path), text)
        else:
            raise MigrationError(Place(str(path), 1), f"is a second {kind}: give one of each server at a time")
    translation = Translator(conf, feeds).translate()
    peers = list(peer_manifests(translation.drafts, outfeed))
    notes = [*translation.notes, *(note for peer in peers for note in peer.notes)]
    order = {str(path): number for number, (path, _) in enumerate(files)}
    notes.sort(key=lambda note: (order.get(note.place.file, len(order)), note.place))
    return Migration(outfeed_manifests(outfeed), [peer for peer in peers if peer.manifest], notes)


def _documents(manifests: Iterable[Manifest]) -> str:
    return "---\n".join(_dumped(manifests))


def _dumped(manifests: Iterable[Manifest]) -> Iterator[str]:
    for manifest in manifests:
        yield yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True, width=120)
