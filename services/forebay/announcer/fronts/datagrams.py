"""Datagrams of a socket, many with one call of the system (recvmmsg(2), sendmmsg(2)): each by itself costs more.

Python's own sockets cannot do that.
"""

from __future__ import annotations

import ctypes
import socket
from itertools import islice
from typing import TYPE_CHECKING

from forebay.announcer.wire.addresses import unmapped

if TYPE_CHECKING:
    from collections.abc import Sequence

AT_ONCE = 64
"""Datagrams of a call."""
ROOM = 2048
"""Octets of a datagram; of a longer one the rest is not received, and a longer answer is not sent."""

_NAME = 28
"""Octets of a struct sockaddr_in6, the longer one."""
_NAMES = {socket.AF_INET: 16, socket.AF_INET6: _NAME}
"""Octets of a struct sockaddr."""
_ADDRESS = {socket.AF_INET: slice(4, 8), socket.AF_INET6: slice(8, 24)}
"""Where the address is within a struct sockaddr."""

_libc = ctypes.CDLL(None)


class _Piece(ctypes.Structure):
    """struct iovec."""

    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))


class _Header(ctypes.Structure):
    """struct msghdr."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_size", ctypes.c_uint),
        ("pieces", ctypes.POINTER(_Piece)),
        ("number", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_size", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    )


class _Message(ctypes.Structure):
    """struct mmsghdr."""

    _fields_ = (("header", _Header), ("size", ctypes.c_uint))


class _Row:
    """Messages with a piece of memory each."""

    def __init__(self) -> None:
        self.octets = bytearray(AT_ONCE * ROOM)
        self._memory = (ctypes.c_char * len(self.octets)).from_buffer(self.octets)
        start = ctypes.addressof(self._memory)
        self._pieces = (_Piece * AT_ONCE)(*[_Piece(start + at * ROOM, ROOM) for at in range(AT_ONCE)])
        self._messages = (_Message * AT_ONCE)()
        # To make these anew at each use would cost more than to use them.
        self.pieces = list(self._pieces)
        self.messages = list(self._messages)
        self.headers = [message.header for message in self.messages]
        for header, piece in zip(self.headers, self.pieces, strict=True):
            header.pieces, header.number = ctypes.pointer(piece), 1

    def at(self, place: int) -> object:
        """Where a message begins, for the system."""
        return ctypes.byref(self._messages, place * ctypes.sizeof(_Message))


class Datagrams:
    """Receives and answers. The places of what was received hold until the next call of `receive`."""

    def __init__(self, source: socket.socket) -> None:
        """`source` is a bound socket of UDP that does not block; it stays the caller's."""
        self._file = source.fileno()
        self._address = _ADDRESS[source.family]
        self._names = bytearray(AT_ONCE * _NAME)
        self._memory = (ctypes.c_char * len(self._names)).from_buffer(self._names)
        start = ctypes.addressof(self._memory)
        self._starts = [start + place * _NAME for place in range(AT_ONCE)]
        self._in, self._out = _Row(), _Row()
        for coming, going, name in zip(self._in.headers, self._out.headers, self._starts, strict=True):
            coming.name = name
            coming.name_size = going.name_size = _NAMES[source.family]

    def receive(self) -> list[tuple[int, bytes, bytes]]:
        """What has come, up to `AT_ONCE`: its place, the octets, and the address of 4 or 16 octets."""
        got = _libc.recvmmsg(self._file, self._in.at(0), AT_ONCE, socket.MSG_DONTWAIT, None)
        octets, names, part = self._in.octets, self._names, self._address
        return [
            (
                place,
                bytes(octets[place * ROOM : place * ROOM + message.size]),
                unmapped(bytes(names[place * _NAME + part.start : place * _NAME + part.stop])),
            )
            for place, message in enumerate(islice(self._in.messages, max(got, 0)))
        ]

    def answer(self, answers: Sequence[tuple[int, bytes]]) -> int:
        """Send each to where the datagram of its place came from; how many the system did not take."""
        out, room, starts = self._out, self._out.octets, self._starts
        at = 0
        for place, octets in answers:
            size = len(octets)
            if size > ROOM:
                continue
            room[at * ROOM : at * ROOM + size] = octets
            out.pieces[at].size = size
            out.headers[at].name = starts[place]
            at += 1
        return len(answers) - at + self._send(at)

    def _send(self, number: int) -> int:
        at = lost = 0
        while at < number:
            sent = _libc.sendmmsg(self._file, self._out.at(at), number - at, socket.MSG_DONTWAIT)
            if sent <= 0:
                lost += 1
            at += max(sent, 1)
        return lost
