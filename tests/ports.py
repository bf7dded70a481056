"""Free loopback ports for the servers that tests start."""

import os
import random
import socket
from contextlib import suppress

LOWEST, HIGHEST = 10_000, 32_000
"""Below those that the system gives to connections: one of these may come between the choice and the listening."""

given: set[int] = set()


def share() -> range:
    """The ports of this process, apart from those of others that run tests beside it: a port stays free for a while
    after it was chosen, and they would choose it too.
    """
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return range(LOWEST + number, HIGHEST, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on and that this process gave to nobody before."""
    ports = share()
    while True:
        port = random.SystemRandom().choice(ports)
        if port not in given and _is_free(port):
            given.add(port)
            return port


def _is_free(port: int) -> bool:
    with suppress(OSError), socket.create_server(("127.0.0.1", port)):
        return True
    return False


def loopbacks() -> list[str]:
    """The loopback addresses that this machine has."""
    return [host for host in ("127.0.0.1", "::1") if _can_bind(host)]


def _can_bind(host: str) -> bool:
    try:
        socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError:
        return False
    return True
