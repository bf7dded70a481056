"""Manifests: what was translated as resources that are sound, each with the notes about it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from forebay.api import Violation, read_objects
from forebay.api.v1alpha1 import API_VERSION
from forebay.api.violations import Path
from forebay.outfeed.migration.draft import Draft
from forebay.outfeed.migration.notes import Note

Manifest = dict[str, Any]

DECIDING = frozenset(
    {
        "groups",
        "requiredGroups",
        "distributions",
        "needsDistribution",
        "pathIdentity",
        "excludePath",
        "minSize",
        "maxSize",
        "minCrossposts",
        "maxCrossposts",
        "maxFollowups",
        "maxSpread",
        "minHops",
        "maxHops",
        "articleTypes",
        "originators",
        "hashfeed",
    }
)
"""Fields that decide which articles a peer gets."""
NEEDED = frozenset({"hosts", "outfeedRef"})
"""Fields without which there is no peer."""
LONGEST_NAME = 253
PASSWORD = "password"  # noqa: S105 - the name of a key


class PeerManifest(NamedTuple):
    """A peer as a resource."""

    manifest: Manifest
    secret: Manifest | None
    """The Secret that it names, if any."""
    notes: list[Note]


def peer_manifests(drafts: Iterable[Draft], outfeed: str) -> Iterator[PeerManifest]:
    """The drafts as Peerfeeds of an Outfeed; one that cannot be one is only in the notes, with an empty manifest."""
    taken: set[str] = set()
    for draft in drafts:
        name = _name(draft.site, taken)
        taken.add(name)
        if name != draft.site:
            draft.note(draft.place, "metadata.name", f"names of resources are of another form: it is called {name}")
        secret = _login(draft, name)
        manifest = _sound(draft, name, outfeed)
        yield PeerManifest(manifest, secret if manifest else None, draft.notes)


def outfeed_manifests(name: str) -> list[Manifest]:
    """An Outfeed that INN can feed, and the Spill that it needs."""
    spill = _manifest("Spill", "main", {"managed": {}})
    return [spill, _manifest("Outfeed", name, {"spillRef": {"name": "main"}, "listeners": {"nntp": {}}})]


def _login(draft: Draft, name: str) -> Manifest | None:
    if not draft.username and not draft.password:
        return None
    if not draft.username or not draft.password:
        draft.note(draft.place, "username, password", "one of them is missing, so there is no login")
        return None
    secret = f"{name}-login"
    draft.put("auth", {"username": draft.username, "passwordFrom": {"secretRef": {"name": secret, "key": PASSWORD}}})
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": secret},
        "stringData": {PASSWORD: draft.password},
    }


def _sound(draft: Draft, name: str, outfeed: str) -> Manifest:
    """The manifest without the fields that would be refused; empty when it needs one of those."""
    spec = {"outfeedRef": {"name": outfeed}, **draft.spec}
    while found := _violations(name, outfeed, spec):
        for violation in found:
            top = str(violation.path[1]) if len(violation.path) > 1 else ""
            if top in NEEDED or top not in spec:
                draft.note(draft.place, violation.field, f"{violation.description}; the peer is left out")
                return {}
            (draft.lose if top in DECIDING else draft.note)(draft.place, violation.field, violation.description)
        for path in sorted({violation.path[1:] for violation in found}, key=_in_order, reverse=True):
            _remove(spec, path)
        spec |= {"pause": True} if draft.spec.get("pause") else {}
    return _manifest("Peerfeed", name, spec)


def _violations(name: str, outfeed: str, spec: Manifest) -> list[Violation]:
    *_, reading = read_objects([*outfeed_manifests(outfeed), _manifest("Peerfeed", name, spec)])
    return reading.violations


def _in_order(path: Path) -> list[tuple[bool, str | int]]:
    """Makes paths comparable: positions in a list as numbers, so that the last can be removed first."""
    return [(isinstance(part, int), part) for part in path]


def _remove(spec: Manifest, path: Path) -> None:
    """Remove a field or an item; where it is not given, what it stands in: the rule that is broken is about that."""
    try:
        holder: Any = spec
        for part in path[:-1]:
            holder = holder[part]
        del holder[path[-1]]
    except (KeyError, IndexError):
        del spec[str(path[0])]


def _manifest(kind: str, name: str, spec: Manifest) -> Manifest:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _name(site: str, taken: set[str]) -> str:
    """A name of RFC 1123 as near to the site's as can be, that none has yet."""
    words = [re.sub(r"[^a-z0-9-]", "-", word).strip("-")[:63].rstrip("-") for word in site.lower().split(".")]
    base = ".".join(filter(None, words))[: LONGEST_NAME - 5].strip("-.") or "peer"
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return base if base not in taken else next(name for name in numbered if name not in taken)
