"""Free loopback ports for the servers that tests start."""

import socket

given: set[int] = set()


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on and that this process gave to nobody before."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port not in given:
            given.add(port)
            return port


def loopbacks() -> list[str]:
    """The loopback addresses that this machine has."""
    return [host for host in ("127.0.0.1", "::1") if _can_bind(host)]


def _can_bind(host: str) -> bool:
    try:
        socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError:
        return False
    return True
