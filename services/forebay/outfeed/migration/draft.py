"""A peer on its way from INN's files to a Peerfeed."""

from dataclasses import dataclass, field
from typing import Any

from forebay.outfeed.migration.notes import Note, Place


@dataclass
class Draft:
    """What is known of a peer so far."""

    site: str
    """Its name in INN's files."""
    place: Place
    """Where it is described."""
    spec: dict[str, Any] = field(default_factory=dict)
    """As a manifest has it."""
    username: str = ""
    password: str = field(default="", repr=False)
    notes: list[Note] = field(default_factory=list)

    def put(self, path: str, value: object) -> None:
        """Set a field of the spec, named as `a.b`."""
        *objects, name = path.split(".")
        held = self.spec
        for part in objects:
            held = held.setdefault(part, {})
        held[name] = value

    def note(self, place: Place, subject: str, reason: str) -> None:
        """Something is not carried over as it was, which does not change what the peer gets."""
        self.notes.append(Note(place, f"{self.site}: {subject}", reason))

    def lose(self, place: Place, subject: str, reason: str) -> None:
        """A rule is lost that kept articles from the peer, or decided which it gets: until someone has looked, none."""
        self.put("pause", True)
        self.note(place, subject, f"{reason}; the peer is paused until you have looked")
