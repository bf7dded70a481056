"""Places that people name: `udp/host:port` or `tcp/host:port`, where the host may be a name."""

from __future__ import annotations

from typing import NamedTuple

from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.wire.locators import TRANSPORTS

MAX_PORT = 65535


class Place(NamedTuple):
    """A host and a port that speak conduit."""

    transport: str
    """`udp` or `tcp`."""
    host: str
    """A name or an address; without brackets."""
    port: int


def parse_place(text: str, setting: str) -> Place:
    """Read a place. Raises `SettingError`, which names the setting."""
    transport, _, rest = text.partition("/")
    host, _, port = rest.rpartition(":")
    number = int(port) if port.isascii() and port.isdecimal() and len(port) <= len(str(MAX_PORT)) else -1
    if transport not in TRANSPORTS or not host or not 0 <= number <= MAX_PORT:
        raise SettingError(f"{setting} is {text!r}: take udp/host:port or tcp/host:port")
    return Place(transport, host.removeprefix("[").removesuffix("]"), number)
