"""Addresses: `name@domain`."""

import re
from functools import lru_cache

from forebay.router.core.errors import BadNameError

LONGEST_NAME = 255
"""Characters of the name of a thread, a group or a process."""
LONGEST_DOMAIN = 63
RESERVED = "skal"
"""What names of the router's own begin with, in any case."""
DEFAULT_DOMAIN = "local"

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/+-]*")
_DOMAIN = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


@lru_cache(maxsize=65_536)
def split(address: str) -> tuple[str, str]:
    """Name and domain; the domain is empty where the address has none."""
    name, _, domain = address.partition("@")
    return name, domain


def qualified(address: str, domain: str) -> str:
    """The address with a domain: its own, else this one."""
    return address if "@" in address else f"{address}@{domain}"


def check_name(what: str, name: str) -> None:
    """See that a thread, group or process may have the name; `what` says which of them. Raises `BadNameError`."""
    if len(name) > LONGEST_NAME:
        raise BadNameError(f"the name of a {what} has {len(name)} characters: give at most {LONGEST_NAME}")
    if not _NAME.fullmatch(name):
        raise BadNameError(
            f"{name!r} is no name of a {what}: give letters, digits and _ . : / + -, with a letter, a digit or _ first"
        )
    if name.lower().startswith(RESERVED):
        raise BadNameError(f"{name!r} begins with {RESERVED}, as the router's own names do: give the {what} another")


def check_domain(name: str) -> None:
    """See that a domain may have the name. Raises `BadNameError`."""
    if len(name) > LONGEST_DOMAIN or not _DOMAIN.fullmatch(name):
        raise BadNameError(
            f"{name!r} is no name of a domain: give up to {LONGEST_DOMAIN} lower-case letters, digits, '.' and '-', "
            "with a letter or digit at both ends"
        )


@lru_cache(maxsize=65_536)
def check_address(address: str) -> str:
    """An address with or without a domain, unchanged. Raises `BadNameError` when it is none."""
    name, domain = split(address)
    check_name("recipient", name)
    if domain or "@" in address:
        check_domain(domain)
    return address
