"""Messages of BEP 15 and BEP 41 as a client sends and reads them. All numbers are big-endian."""

from __future__ import annotations

import ipaddress
import struct
import zlib
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from forebay.announcer.announce import Event
from forebay.announcer.forwarding.interval import announce_interval
from forebay.announcer.forwarding.outcome import Answer, Cause, Failure
from forebay.announcer.upstream.answer import plain
from forebay.announcer.upstream.httprequest import UNTOLD_LEFT
from forebay.announcer.upstream.peeroctets import from_compact

if TYPE_CHECKING:
    from forebay.announcer.announce import Announce
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.outcome import Outcome

CONNECT, ANNOUNCE, ERROR = 0, 1, 3
"""Actions."""
HEAD = 8
"""Octets of action and transaction id, with which every answer begins."""

_MAGIC = 0x41727101980
_CONNECT = struct.Struct(">QII")
_ANNOUNCE = struct.Struct(">QII20s20sQQQI4s4siH")
_ANNOUNCED = struct.Struct(">iII")
_LARGEST = 2**64 - 1
# BEP 15 has no number for paused; a tracker may refuse one that it does not know.
_EVENTS = {Event.NONE: 0, Event.COMPLETED: 1, Event.STARTED: 2, Event.STOPPED: 3, Event.PAUSED: 0}
_URL_DATA = 2
_LONGEST_OPTION = 255
_LONGEST_URL = 1024


def connect_request(transaction: int) -> bytes:
    """Asks for a connection id."""
    return _CONNECT.pack(_MAGIC, CONNECT, transaction)


def connection_id(answer: bytes) -> int | None:
    """The connection id of an answer; none when it is too short to hold one."""
    return int.from_bytes(answer[HEAD : HEAD + 8]) if len(answer) >= HEAD + 8 else None


def announce_request(connection: int, transaction: int, spec: ForwarderSpec, announce: Announce) -> bytes:
    """An announce, with path and query of the tracker's URL behind it."""
    left = UNTOLD_LEFT if announce.left is None else announce.left
    return _ANNOUNCE.pack(
        connection,
        ANNOUNCE,
        transaction,
        announce.info_hash,
        announce.peer_id,
        min(announce.downloaded, _LARGEST),
        min(left, _LARGEST),
        min(announce.uploaded, _LARGEST),
        _EVENTS[announce.event],
        _address(spec.ip),
        _key(announce.key),
        _wanted(announce),
        announce.port,
    ) + _url_data(spec.url)


def _address(ip: str) -> bytes:
    """The field has room for IPv4 only; zeros stand for the address that the tracker sees."""
    packed = ipaddress.ip_address(ip).packed if ip else b""
    return packed if len(packed) == 4 else bytes(4)


def _key(key: bytes) -> bytes:
    """A key as 32 bits, the same for the same client: its octets, or the number that its hexadecimal digits are."""
    if len(key) == 4 or not key:
        return key or bytes(4)
    try:
        return int(key, 16).to_bytes(4)
    except (ValueError, OverflowError):
        return zlib.crc32(key).to_bytes(4)


def _wanted(announce: Announce) -> int:
    """How many peers are wanted; -1 leaves it to the tracker."""
    if announce.event is Event.STOPPED:
        return 0
    return -1 if announce.numwant is None else max(-1, min(announce.numwant, 2**31 - 1))


def _url_data(url: str) -> bytes:
    parts = urlsplit(url)
    data = (parts.path + ("?" + parts.query if parts.query else "")).encode()[:_LONGEST_URL]
    pieces = [data[at : at + _LONGEST_OPTION] for at in range(0, len(data), _LONGEST_OPTION)]
    return b"".join(bytes((_URL_DATA, len(piece))) + piece for piece in pieces)


def read_announced(answer: bytes, *, ipv6: bool) -> Outcome:
    """What the answer to an announce says; peers are of the family of the packet."""
    body = answer[HEAD:]
    if len(body) < _ANNOUNCED.size:
        return Failure(Cause.BAD_ANSWER, f"its answer has {len(answer)} octets")
    interval, leechers, seeders = _ANNOUNCED.unpack_from(body)
    rest = body[_ANNOUNCED.size :]
    peers, peers6 = from_compact(b"", rest) if ipv6 else from_compact(rest)
    return Answer(announce_interval(interval), peers, peers6, complete=seeders, incomplete=leechers)


def read_error(answer: bytes) -> Failure:
    """What an error packet says."""
    return Failure(Cause.FAILURE_REASON, plain(answer[HEAD:].rstrip(b"\0")) or "an error without a message")
