"""The parameters of a query, as they stand there: not yet decoded."""

from forebay.announcer.errors import RequestError

MOST_SCRAPED = 74
"""Torrents of one scrape that are answered; BEP 15 names it, and BEP 48 leaves it to the tracker."""


def parameters(query: bytes) -> dict[bytes, bytes]:
    """Names and values. The last of a name wins; one without `=` is empty."""
    parts = query.split(b"&")
    try:
        return dict([part.split(b"=", 1) for part in parts])
    except ValueError:  # one without `=`, which is rare
        return {name: value for name, _, value in [part.partition(b"=") for part in parts]}


def every(query: bytes, name: bytes) -> list[bytes]:
    """All values of a name, in their order."""
    begin = name + b"="
    return [part[len(begin) :] for part in query.split(b"&") if part.startswith(begin)]


def whole_number(value: bytes | None) -> int | None:
    """A number of at most 20 digits; None for anything else."""
    return int(value) if value and len(value) <= 20 and value.isdigit() else None


def twenty_octets(name: str, octets: bytes) -> bytes:
    """What is said to be a hash or a peer id, when it is of that length. Raises `RequestError`."""
    if len(octets) == 20:
        return octets
    raise RequestError(f"{name} has {len(octets)} octets, not 20" if octets else f"{name} is missing")
