"""Translation: the peers of INN's files as Peerfeeds."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from forebay.outfeed.migration.distributions import both
from forebay.outfeed.migration.draft import Draft
from forebay.outfeed.migration.funnels import Funnel, end_of, funnel_of
from forebay.outfeed.migration.innfeedconf import InnfeedConf, Scope
from forebay.outfeed.migration.innfeedkeys import KEYS
from forebay.outfeed.migration.newsfeeds import ME, Entry, Newsfeeds
from forebay.outfeed.migration.notes import Note, Place
from forebay.outfeed.migration.siteflags import carry_flags

NOT_FED = "is not fed by innfeed, so it is left out"


@dataclass
class Translation:
    """What was made of INN's files."""

    drafts: list[Draft] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    """What concerns no peer alone."""


class Translator:
    """Takes innfeed.conf, newsfeeds or both. What one of them would say of a peer stays open where it is missing."""

    def __init__(self, conf: InnfeedConf | None, feeds: Newsfeeds | None) -> None:
        self._conf = conf
        self._feeds = feeds
        self._entries = {entry.name.lower(): entry for entry in feeds.entries} if feeds else {}
        self._fed: set[str] = set()
        """Names of peers of innfeed.conf that an entry feeds."""
        self._translation = Translation()

    def translate(self) -> Translation:
        """Every peer that both files together describe; what could not be carried over is in the notes."""
        if self._feeds:
            self._translation.notes += self._feeds.notes
            for entry in self._feeds.entries:
                self._take_entry(entry)
        if self._conf:
            self._translation.notes += conf_notes(self._conf)
            for peer in self._conf.peers.values():
                self._take_rest(peer)
        return self._translation

    def _note(self, place: Place, subject: str, reason: str) -> None:
        self._translation.notes.append(Note(place, subject, reason))

    def _take_entry(self, entry: Entry) -> None:
        if funnel_of(entry):
            return
        end = end_of(entry, self._entries)
        funnel = funnel_of(end) if end else None
        if end is None:
            self._note(entry.place, entry.name, f"there is no entry {entry.parameter}, so it is left out")
        elif funnel is None:
            self._note(entry.place, entry.name, f"{_kind(end)}: {NOT_FED}")
        else:
            self._take_site(entry, funnel)

    def _take_site(self, entry: Entry, funnel: Funnel) -> None:
        draft = Draft(entry.name, entry.place)
        peer = self._peer_of(entry)
        if peer is None and self._conf and not funnel.names_are_hosts:
            reason = "innfeed.conf has no such peer and innfeed is run without -y, so it is left out"
            self._note(entry.place, entry.name, reason)
            return
        draft.put("hosts", [peer.name if peer else entry.name])
        if peer:
            self._fed.add(peer.name)
        elif self._conf is None and not funnel.names_are_hosts:
            draft.note(
                entry.place, "hosts", "the site's name is taken for its host: innfeed.conf, which tells, is missing"
            )
        if scope := peer or (self._conf and self._conf.top):
            carry_settings(draft, scope)
        if not self._carry_subscription(draft, entry):
            return
        carry_flags(draft, entry)
        if funnel.delay:
            draft.put("delay", f"{funnel.delay}s")
        self._translation.drafts.append(draft)

    def _peer_of(self, entry: Entry) -> Scope | None:
        peers: Mapping[str, Scope] = self._conf.peers if self._conf else {}
        alike = (peer for name, peer in peers.items() if name.lower() == entry.name.lower())
        return peers.get(entry.name) or next(alike, None)

    def _carry_subscription(self, draft: Draft, entry: Entry) -> bool:
        """Patterns, distributions and exclusions; False when the entry asks for nothing at all."""
        me = self._feeds.me if self._feeds else None
        patterns = [*(me.patterns if me else ()), *entry.patterns] or ["*"]
        groups = list(without_leading_negations(patterns))
        if not any(not pattern.startswith("@") for pattern in groups):
            self._note(entry.place, entry.name, f"{','.join(patterns)} asks for no group, so it is left out")
            return False
        draft.put("groups", groups)
        distributions = both(me.distributions if me else (), entry.distributions)
        if distributions is None:
            reason = f"no distribution passes both {ME}'s list and its own, and articles without one pass"
            draft.lose(entry.place, "distributions", reason)
        elif distributions:
            draft.put("distributions", distributions)
        if not any(flag.startswith("A") and "p" in flag for flag in entry.flags):
            draft.put("pathIdentity", [entry.name])
        if excluded := _once([*entry.excludes, *(me.excludes if me else ())]):
            draft.put("excludePath", excluded)
        return True

    def _take_rest(self, peer: Scope) -> None:
        """A peer of innfeed.conf that no entry was found for."""
        if peer.name in self._fed:
            return
        if self._feeds:
            self._note(peer.place, f"peer {peer.name}", "newsfeeds sends it nothing, so it is left out")
            return
        draft = Draft(peer.name, peer.place)
        draft.put("hosts", [peer.name])
        carry_settings(draft, peer)
        draft.lose(peer.place, "groups", "what it gets is said in newsfeeds, which is missing")
        self._translation.drafts.append(draft)


def carry_settings(draft: Draft, scope: Scope) -> None:
    """Put the settings of a peer, its own and those it inherits, into a draft."""
    for name, key in KEYS.items():
        setting = scope.find(name) if key.carry else None
        if setting is None or key.carry is None:
            continue
        try:
            key.carry(draft, setting)
        except ValueError as error:
            draft.note(setting.place, name, f"{error}, so the default stays")


def conf_notes(conf: InnfeedConf) -> Iterator[Note]:
    """A note on each key that is not carried over, where it is found first."""
    told: set[str] = set()
    for scope in conf.scopes:
        for setting in scope.settings.values():
            key = KEYS.get(setting.key)
            if setting.key not in told and (key is None or key.carry is None):
                told.add(setting.key)
                yield Note(setting.place, setting.key, key.where if key else "innfeed knows no such key either")


def without_leading_negations(patterns: list[str]) -> Iterator[str]:
    """The same patterns without those at their head that take nothing out, as nothing was in."""
    begun = False
    for pattern in patterns:
        begun = begun or not pattern.startswith("!")
        if begun:
            yield pattern


def _once(names: Iterable[str]) -> list[str]:
    """The names, each once; case does not matter."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.lower(), name)
    return list(found.values())


def _kind(entry: Entry) -> str:
    kinds = {"c": "a channel to", "x": "an exploder to", "p": "a program", "f": "a file", "l": "a line in the log"}
    named = f"{entry.parameter:.60}" if entry.kind in "cxp" else ""
    return f"it is {kinds.get(entry.kind, 'of an unknown kind')} {named}".rstrip()
