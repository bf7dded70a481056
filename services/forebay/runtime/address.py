"""Addresses that servers listen on: `host:port`, `[v6]:port` or `unix:/path`."""

from ipaddress import ip_address
from typing import NamedTuple

from forebay.runtime.errors import AddressError, InsecureBindError


class Address(NamedTuple):
    """Where a server listens; port 0 lets the system choose."""

    host: str
    """A name, an IPv4 or an IPv6 address; for a Unix socket `unix:` and its path."""
    port: int

    def __str__(self) -> str:
        if self.is_unix:
            return self.host
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_unix(self) -> bool:
        """Whether this is a socket in the file system."""
        return self.host.startswith("unix:")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it. A name other than localhost counts as not."""
        if self.is_unix or self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_address(text: str) -> Address:
    """Read an address.

    Raises `AddressError` when the host or the port is missing, or the port is none.
    """
    if text.startswith("unix:"):
        return Address(text, 0)
    host, colon, port = text.rpartition(":")
    if not host or not colon or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise AddressError(f"{text!r} is no address: give host:port, [IPv6 address]:port or unix:/path")
    return Address(host.removeprefix("[").removesuffix("]"), int(port))


def check_plaintext(address: Address, allowed: bool) -> None:
    """Refuse to listen without TLS where other machines can connect, unless that is `allowed`.

    Raises `InsecureBindError`.
    """
    if not allowed and not address.is_loopback:
        raise InsecureBindError(
            f"{address} without TLS would be open to other machines: give a folder with tls.crt, tls.key and ca.crt, "
            "listen on 127.0.0.1, or allow plain text on purpose (insecure)"
        )
