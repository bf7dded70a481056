"""Texts for people, bounded: Kubernetes allows an Event 1 KiB, and a status is read in a terminal."""

from collections.abc import Iterable, Sequence

from forebay.api import Violation
from forebay.runtime import FieldViolation

LONGEST = 1000
"""Characters of a message."""
MOST_NAMES = 5
MOST_VIOLATIONS = 5


def clipped(text: str, longest: int = LONGEST) -> str:
    """The text, its end replaced by an ellipsis when it is too long."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    shown, more = ", ".join(names[:MOST_NAMES]), len(names) - MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def violations_text(violations: Iterable[FieldViolation | Violation]) -> str:
    """Fields with what is wrong with them, the first few of them."""
    found = [f"{each.field}: {each.description}" if each.field else each.description for each in violations]
    shown, more = "; ".join(found[:MOST_VIOLATIONS]), len(found) - MOST_VIOLATIONS
    return f"{shown}; and {more} more fields" if more > 0 else shown


def word(text: str) -> str:
    """A reason of a service, as NAME_UNKNOWN, in the form of conditions, as NameUnknown."""
    return "".join(part.capitalize() for part in text.split("_"))
