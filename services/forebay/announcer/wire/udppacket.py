"""Packets of UDP as a tracker reads and writes them (BEP 15, 41). All numbers are big-endian."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from forebay.announcer.announce import STOPPED, Announce, Event
from forebay.announcer.errors import RequestError
from forebay.announcer.wire.announcequery import UNTOLD
from forebay.announcer.wire.httpanswer import minutes
from forebay.announcer.wire.parameters import MOST_SCRAPED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forebay.announcer.swarms.figures import Figures

CONNECT, ANNOUNCE, SCRAPE, ERROR = range(4)
"""Actions."""
MAGIC = 0x41727101980.to_bytes(8)
"""Stands in a connect request where the others have the connection id."""
REQUEST = Struct(">8sI4s")
"""Connection id, action and transaction id: how every request begins; a connect request has no more."""
SMALLEST_ANNOUNCE = 98
"""Octets of an announce without options."""
SMALLEST_SCRAPE = 36
"""Octets of a scrape of one torrent."""
LARGEST_ANSWER = 1400
"""Octets that pass every usual network in one piece."""
MOST_PEERS = {4: (LARGEST_ANSWER - 20) // 6, 16: (LARGEST_ANSWER - 20) // 18}
"""Peers of an answer, by the octets of an address."""

_ANNOUNCE = Struct(">16x20s20sQQQI4x4siH")
_ANNOUNCED = Struct(">I4siII")
_SCRAPED = Struct(">III")
_EVENTS = (Event.NONE, Event.COMPLETED, Event.STARTED, Event.STOPPED, Event.PAUSED)
_END_OF_OPTIONS, _NO_OPERATION = 0, 1
_NO_KEY = bytes(4)
_LARGEST_COUNT = 2**32 - 1
_LONGEST_ERROR = 200


def read_announce(packet: bytes, address: bytes) -> Announce:
    """Read an announce of at least `SMALLEST_ANNOUNCE` octets. The address that it tells itself is not looked at.

    Raises `RequestError`.
    """
    info_hash, peer_id, downloaded, left, uploaded, number, key, wanted, port = _ANNOUNCE.unpack_from(packet)
    if number >= len(_EVENTS):
        raise RequestError("invalid event")
    event = _EVENTS[number]
    if port == 0 and event is not STOPPED:
        raise RequestError("invalid port")
    if len(packet) > SMALLEST_ANNOUNCE:
        _check_options(packet)
    return Announce(
        info_hash,
        peer_id,
        port,
        uploaded,
        downloaded,
        left if left != UNTOLD else None,
        event,
        wanted if wanted >= 0 else None,
        b"" if key == _NO_KEY else key,
        address,
    )


def _check_options(packet: bytes) -> None:
    """Options are of no use here. Whoever sends broken ones may have meant other things by the rest, too."""
    at = SMALLEST_ANNOUNCE
    while at < len(packet) and packet[at] != _END_OF_OPTIONS:
        if packet[at] == _NO_OPERATION:
            at += 1
        elif at + 1 < len(packet):
            at += 2 + packet[at + 1]
        else:
            at = len(packet) + 1
    if at > len(packet):
        raise RequestError("the options are cut off")


def read_scrape(packet: bytes) -> list[bytes]:
    """The info hashes of a scrape, in their order; those beyond `MOST_SCRAPED` are left out."""
    whole = min((len(packet) - REQUEST.size) // 20, MOST_SCRAPED)
    return [packet[at : at + 20] for at in range(REQUEST.size, REQUEST.size + 20 * whole, 20)]


def connect_answer(transaction: bytes, connection_id: bytes) -> bytes:
    """16 octets, as many as the request has."""
    return b"\0\0\0\0" + transaction + connection_id


def announce_answer(transaction: bytes, interval: int, complete: int, incomplete: int, peers: bytes) -> bytes:
    """Peers are octets of the packet's own family."""
    return _ANNOUNCED.pack(ANNOUNCE, transaction, interval, incomplete, complete) + peers


def scrape_answer(transaction: bytes, figures: Iterable[Figures]) -> bytes:
    """The figures of swarms in the order of the request."""
    bodies = [_SCRAPED.pack(each.complete, min(each.downloaded, _LARGEST_COUNT), each.incomplete) for each in figures]
    return b"\0\0\0\2" + transaction + b"".join(bodies)


def error_answer(transaction: bytes, reason: str, retry_after: float | None = None) -> bytes:
    """Why a request is not carried out. There is no field for the time of another try: the text tells it."""
    if retry_after is not None:
        reason = f"{reason}; retry in {minutes(retry_after)} min"
    return b"\0\0\0\3" + transaction + reason.encode()[:_LONGEST_ERROR]
