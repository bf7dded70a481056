"""Listening on every address of this machine, IPv4 and IPv6 alike."""

import socket

EVERYWHERE = "::" if socket.has_dualstack_ipv6() else "0.0.0.0"  # noqa: S104 who listens here means to


def dualstack_socket(host: str, port: int) -> socket.socket | None:
    """A listening socket for `::` that takes IPv4 too: asyncio's own would take IPv6 alone. None for any other host.

    Raises `OSError` when the port is taken.
    """
    if host != "::" or not socket.has_dualstack_ipv6():
        return None
    return socket.create_server((host, port), family=socket.AF_INET6, dualstack_ipv6=True)
