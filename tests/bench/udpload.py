"""A load over UDP: a process whose sockets, each of an address of its own, send announces as fast as they are answered.

    python -m bench.udpload PORT SWARMS PEERS SECONDS

Packets are made before. The system sends and receives many with a call, else Python would be the slower end. It prints
the answers a second.
"""

import ctypes
import os
import socket
import struct
import sys
import time
from collections.abc import Sequence

from bench.crowds import Crowd, packet
from peers.process import run

SOCKETS, WINDOW = 16, 8
"""Sockets, and packets of each that are under way."""
MOST_PACKETS = 4_000
"""That a socket goes round and round with."""
PATIENCE = 0.25
"""Seconds after which packets count as lost."""
LARGEST = 2048
ANNOUNCED = struct.pack(">I", 1)
CONNECT = bytes.fromhex("0000041727101980 00000000 00000001")

libc = ctypes.CDLL(None, use_errno=True)


class Piece(ctypes.Structure):
    """struct iovec."""

    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))


class Message(ctypes.Structure):
    """struct mmsghdr."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_size", ctypes.c_uint),
        ("pieces", ctypes.POINTER(Piece)),
        ("number", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_size", ctypes.c_size_t),
        ("flags", ctypes.c_size_t),  # an int, and what fills the struct msghdr up
        ("size", ctypes.c_size_t),
    )


class Messages:
    """A row of messages of one size, in memory that the system reads from or writes to."""

    def __init__(self, content: bytearray, size: int) -> None:
        self.number = len(content) // size
        self._content = (ctypes.c_char * len(content)).from_buffer(content)
        start = ctypes.addressof(self._content)
        self._pieces = (Piece * self.number)(*[(start + at * size, size) for at in range(self.number)])
        self._messages = (Message * self.number)()
        for message, piece in zip(self._messages, self._pieces, strict=True):
            message.pieces, message.number = ctypes.pointer(piece), 1

    def at(self, place: int) -> object:
        """The address of a message."""
        return ctypes.byref(self._messages, place * ctypes.sizeof(Message))


class Client:
    """A socket with its packets."""

    def __init__(self, port: int, number: int, members: Sequence[tuple[int, int]]) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((f"127.0.0.{number + 2}", 0))
        self.socket.connect(("127.0.0.1", port))
        self.socket.settimeout(5)
        self.socket.send(CONNECT)
        connection_id = self.socket.recv(16)[8:]
        self.socket.setblocking(False)
        self._packets = Messages(bytearray(b"".join(packet(connection_id, *each) for each in members)), 98)
        self._space = bytearray(LARGEST * WINDOW)
        self._answers = Messages(self._space, LARGEST)
        self._next = 0

    def send(self, number: int) -> None:
        """Send so many packets."""
        while number:
            batch = min(number, self._packets.number - self._next)
            sent = libc.sendmmsg(self.socket.fileno(), self._packets.at(self._next), batch, 0)
            if sent < 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            number -= sent
            self._next += sent
            self._next %= self._packets.number

    def turn(self) -> int:
        """Take the answers that have come, and send as many packets; how many."""
        got: int = libc.recvmmsg(self.socket.fileno(), self._answers.at(0), WINDOW, socket.MSG_DONTWAIT, None)
        if got > 0 and self._space[:4] != ANNOUNCED:
            raise RuntimeError(f"the tracker answers {bytes(self._space[:100])!r}")
        self.send(max(got, 0))
        return max(got, 0)


def load(port: int, crowd: Crowd, seconds: float) -> float:
    """Answers a second."""
    members = crowd.some(MOST_PACKETS * SOCKETS, seed=2)
    clients = [Client(port, number, members[number::SOCKETS]) for number in range(SOCKETS)]
    for client in clients:
        client.send(WINDOW)
    began = heard = time.perf_counter()
    answers = 0
    while True:
        # Waiting asleep would have the tracker pay for waking this process up, as no network does.
        got = sum([client.turn() for client in clients])
        now = time.perf_counter()
        if got:
            answers, heard = answers + got, now
        elif now > heard + PATIENCE:
            heard = now
            for client in clients:
                client.send(WINDOW)
        if now >= began + seconds:
            return answers / (now - began)


async def rate(port: int, crowd: Crowd, seconds: float) -> float:
    """Announces a second that a tracker answers, measured by another process."""
    arguments = (port, crowd.swarms, crowd.peers, seconds)
    return float(await run(sys.executable, "-m", "bench.udpload", *arguments, timeout=300))


if __name__ == "__main__":
    port, swarms, peers, seconds = sys.argv[1:]
    print(load(int(port), Crowd(int(swarms), int(peers)), float(seconds)))
