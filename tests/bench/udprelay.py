"""A UDP relay on loopback that loses datagrams in both directions, as a process of its own.

    python -m bench.udprelay TARGET_PORT LOSS

It stands between one client and the server at the target port. It tells its port, loses nothing until a line comes on
its input, and from then on that part of all datagrams, by a seed. A second line: it tells how many it lost.
"""

import socket
import sys
from random import Random
from select import select

from bench.programs import tell

MAX_DATAGRAM = 65535
BUFFER = 4 << 20
AT_ONCE = 64


class Relay:
    """Two sockets, one for each side."""

    def __init__(self, port: int, loss: float) -> None:
        self._random = Random(1)
        self._wanted = loss
        self._loss = 0.0
        self.lost = self.passed = 0
        self.front, self._back = _bound(), _bound()
        self._server: tuple[str, int] = ("127.0.0.1", port)
        self._client: tuple[str, int] | None = None

    def lose(self) -> None:
        """From now on."""
        self._loss = self._wanted

    def run(self) -> None:
        """Until the bench says that it is over."""
        sources = [sys.stdin, self.front, self._back]
        while True:
            ready = select(sources, (), ())[0]
            if self.front in ready:
                self._pass_on(self.front, self._back)
            if self._back in ready:
                self._pass_on(self._back, self.front)
            if sys.stdin in ready:
                sys.stdin.readline()
                if self._loss:
                    return
                self.lose()

    def _pass_on(self, source: socket.socket, way: socket.socket) -> None:
        for _ in range(AT_ONCE):
            try:
                datagram, sender = source.recvfrom(MAX_DATAGRAM)
            except BlockingIOError:
                return
            if source is self.front:
                self._client = sender
            to = self._server if source is self.front else self._client
            if to is None or self._random.random() < self._loss:
                self.lost += 1
                continue
            self.passed += 1
            try:
                way.sendto(datagram, to)
            except OSError:
                self.lost += 1  # what the system has no room for


def _bound() -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        bound.setsockopt(socket.SOL_SOCKET, option, BUFFER)
    bound.bind(("127.0.0.1", 0))
    bound.setblocking(False)
    return bound


def main() -> None:
    relay = Relay(int(sys.argv[1]), float(sys.argv[2]))
    tell(port=relay.front.getsockname()[1])
    relay.run()
    tell(lost=relay.lost, passed=relay.passed)


if __name__ == "__main__":
    main()
