"""The login at a peer: a user name and a password, as AUTHINFO takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.runtime.secret import Secret

LONGEST = 496
"""Octets of an argument: RFC 3977 (section 3.1) gives a command 512 with its line end, and AUTHINFO PASS needs 16."""


@dataclass(frozen=True, slots=True)
class Login:
    """Who we are to a peer (RFC 4643). Both texts have passed `argument_problem`."""

    username: str
    password: Secret


def argument_problem(text: str) -> str:
    """Why a text cannot be an argument of AUTHINFO (RFC 4643, section 3.1), without quoting it; empty when it can."""
    octets = text.encode()
    if not octets:
        return "is empty"
    if len(octets) > LONGEST:
        return f"has {len(octets)} octets; NNTP takes at most {LONGEST}"
    if any(octet <= 0x20 or octet == 0x7F for octet in octets):
        return "holds a blank, a line end or another control character, which NNTP cannot send; take it out"
    return ""
