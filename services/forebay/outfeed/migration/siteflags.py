"""Every flag of newsfeeds(5), and where it went."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forebay.outfeed.migration.draft import Draft
from forebay.outfeed.migration.newsfeeds import Entry
from forebay.outfeed.migration.notes import Place

Carry = Callable[[Draft, Place, str], None]
"""Puts a flag's argument into a draft. Raises `ValueError` with the reason where it cannot."""

_HASHFEED = re.compile(r"(@?)([0-9]+)(?:-([0-9]+))?/([0-9]+)(?:_([0-9]+))?")


@dataclass(frozen=True)
class Flag:
    """What became of a flag."""

    where: str
    """Where it went, or why nowhere; a line of Markdown."""
    carry: Carry | None = None
    """None where there is nothing to carry over."""
    decides: bool = False
    """It decides which articles the peer gets, so that without it the peer must not be fed."""


def _count(text: str, default: int | None = None) -> int:
    if not text and default is not None:
        return default
    if not text.isdecimal():
        raise ValueError(f"{text!r} is no number")
    return int(text)


def _limit(path: str, default: int | None = None) -> Carry:
    return lambda draft, place, text: draft.put(path, _count(text, default))


def _constant(path: str, value: object) -> Carry:
    return lambda draft, place, text: draft.put(path, value)


def _originators(draft: Draft, place: Place, text: str) -> None:
    patterns = [pattern for pattern in text.split("/") if pattern]
    if not patterns:
        raise ValueError("it has no pattern")
    draft.put("originators.patterns", patterns)


def _below(draft: Draft, place: Place, text: str) -> None:
    draft.put("maxSize", _count(text) - 1)


def _above(draft: Draft, place: Place, text: str) -> None:
    draft.put("minSize", _count(text) + 1)


def _hashfeed(draft: Draft, place: Place, text: str) -> None:
    found = _HASHFEED.fullmatch(text)
    if found is None or (found[1] and found[5]):
        raise ValueError(f"{text!r} is no hash feed that can be carried over")
    first, last, modulus, offset = (int(part) if part else None for part in found.groups()[1:])
    share: dict[str, object] = {"first": first, "last": first if last is None else last, "modulus": modulus}
    if found[1]:
        share["method"] = "sum"
    elif offset:
        share["offset"] = offset
    if whole := draft.spec.get("hashfeed"):
        draft.put("hashfeed.further", [*whole.get("further", ()), share])
    else:
        draft.put("hashfeed", share)


def _kind(item: str) -> Carry:
    """One kind more among `articleTypes`; of a kind that is there already, the last counts."""

    def carry(draft: Draft, place: Place, text: str) -> None:
        kind = item.removeprefix("!")
        listed = [each for each in draft.spec.get("articleTypes", ()) if each.removeprefix("!") != kind]
        wanted = [each for each in (*listed, item) if not each.startswith("!")]
        if len(wanted) > 1:
            raise ValueError(f"articles that are {' and '.join(wanted)} at once cannot be asked for")
        # The last that applies decides, so what is not wanted comes last.
        draft.put("articleTypes", wanted + [each for each in (*listed, item) if each.startswith("!")])

    return carry


def _moderation(draft: Draft, place: Place, text: str) -> None:
    if text not in _MODERATION:
        raise ValueError(f"{text!r} is neither m nor u")
    _MODERATION[text](draft, place, text)
    draft.note(place, f"N{text}", "told by the Approved header, since Forebay knows no list of groups")


_MODERATION = {"m": _kind("approved"), "u": _kind("!approved")}

TOLD_TO_A_PROGRAM = "nowhere: it is about how innd hands articles to a program or a file"
NO_ACTIVE_FILE = (
    "nowhere: Forebay knows no list of groups, so not which exist; name those that do in `groups`, behind a `@*`, "
    "which stops every article that is posted to another too"
)

FLAGS: Mapping[str, Flag] = {
    "<": Flag("`maxSize`, one less: `<1000` is `maxSize: 999`", _below, decides=True),
    ">": Flag("`minSize`, one more: `>1000` is `minSize: 1001`", _above, decides=True),
    "Ac": Flag('`articleTypes: ["!control"]`', _kind("!control"), decides=True),
    "AC": Flag("`articleTypes: [control]`", _kind("control"), decides=True),
    "Ad": Flag("`needsDistribution`", _constant("needsDistribution", True), decides=True),
    "Ae": Flag(NO_ACTIVE_FILE, decides=True),
    "Af": Flag("nowhere: it is always so, since Forebay takes nothing in that a filter rejected"),
    "Aj": Flag("nowhere: it is always so, patterns are matched against the Newsgroups header"),
    "Ao": Flag("nowhere: there is no overview"),
    "AO": Flag("`originators.unnamed`", lambda draft, place, text: None),
    "Ap": Flag("no `pathIdentity`, which is else the site's name"),
    "B": Flag(TOLD_TO_A_PROGRAM),
    "C": Flag("`maxSpread`", _limit("maxSpread"), decides=True),
    "F": Flag(TOLD_TO_A_PROGRAM),
    "G": Flag("`maxCrossposts`", _limit("maxCrossposts"), decides=True),
    "H": Flag("`maxHops`; 1 where it has no number", _limit("maxHops", 1), decides=True),
    "I": Flag(TOLD_TO_A_PROGRAM),
    "N": Flag(
        'by the Approved header: `Nm` is `articleTypes: [approved]`, `Nu` `articleTypes: ["!approved"]`',
        _moderation,
        decides=True,
    ),
    "O": Flag("`originators.patterns`, one an item", _originators, decides=True),
    "P": Flag(TOLD_TO_A_PROGRAM),
    "Q": Flag("`hashfeed`; `method: sum` for `Q@`; each one more is in `further`", _hashfeed, decides=True),
    "S": Flag(TOLD_TO_A_PROGRAM),
    "T": Flag("nowhere: `Tm` into innfeed makes an entry a Peerfeed, others are told and left out"),
    "U": Flag("`maxFollowups`", _limit("maxFollowups"), decides=True),
    "W": Flag(TOLD_TO_A_PROGRAM),
}
"""By letter; those of A by both."""
SILENT = frozenset({"Af", "Aj", "Ap", "T", "W"})
"""Flags of which nobody needs to be told."""


def carry_flags(draft: Draft, entry: Entry) -> None:
    """Put the flags of an entry into a draft, with a note on each that cannot be."""
    for flag in entry.flags:
        if flag.startswith("A"):
            for check in flag[1:]:
                _carry(draft, entry.place, f"A{check}", "")
        else:
            _carry(draft, entry.place, flag[0], flag[1:])
    if "originators" in draft.spec and any(flag.startswith("A") and "O" in flag for flag in entry.flags):
        draft.put("originators.unnamed", True)


def _carry(draft: Draft, place: Place, name: str, text: str) -> None:
    flag = FLAGS.get(name)
    subject = f"{name}{text}"
    if flag is None:
        draft.lose(place, subject, "no flag of newsfeeds is known by that letter")
        return
    try:
        if flag.carry:
            flag.carry(draft, place, text)
        elif name not in SILENT:
            (draft.lose if flag.decides else draft.note)(place, subject, flag.where)
    except ValueError as error:
        draft.lose(place, subject, str(error))
