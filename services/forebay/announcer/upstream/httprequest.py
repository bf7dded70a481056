"""An announce as an HTTP request: the address that is asked for, of BEP 3, 7, 21 and 23."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes, urlsplit, urlunsplit

from forebay.announcer.announce import Event

if TYPE_CHECKING:
    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec

UNTOLD_LEFT = 2**63 - 1
"""What is sent where a client did not tell how much it lacks: trackers want a number, and 0 would be a seeder."""


def request_url(spec: ForwarderSpec, announce: Announce, tracker_id: bytes = b"") -> str:
    """The tracker's URL with the announce in its query, behind what is there already; ready to be sent as it is."""
    scheme, netloc, path, query, _ = urlsplit(spec.url)
    parameters = "&".join(f"{name}={_quoted(value)}" for name, value in _parameters(spec, announce, tracker_id))
    return urlunsplit((scheme, netloc, path or "/", f"{query}&{parameters}" if query else parameters, ""))


def _parameters(spec: ForwarderSpec, announce: Announce, tracker_id: bytes) -> list[tuple[str, bytes | int | str]]:
    parameters: list[tuple[str, bytes | int | str]] = [
        ("info_hash", announce.info_hash),
        ("peer_id", announce.peer_id),
        ("port", announce.port),
        ("uploaded", announce.uploaded),
        ("downloaded", announce.downloaded),
        ("left", UNTOLD_LEFT if announce.left is None else announce.left),
        ("compact", 1),
    ]
    optional: list[tuple[str, bytes | int | str | None]] = [
        ("numwant", 0 if announce.event is Event.STOPPED else announce.numwant),
        ("key", announce.key or None),
        ("event", announce.event or None),
        ("trackerid", tracker_id or None),
    ]
    return parameters + [(name, value) for name, value in optional if value is not None] + _addresses(spec.ip)


def _addresses(ip: str) -> list[tuple[str, bytes | int | str]]:
    if not ip:
        return []
    return [("ip", ip), ("ipv6" if ipaddress.ip_address(ip).version == 6 else "ipv4", ip)]


def _quoted(value: bytes | int | str) -> str:
    """Octets percent-encoded, a blank as %20: not every tracker reads a + as one."""
    octets = value if isinstance(value, bytes) else str(value).encode()
    return quote_from_bytes(octets, safe="")
