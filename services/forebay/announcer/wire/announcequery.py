"""The query of an announce over HTTP (BEP 3, 7, 21, 23).

Parameters that nobody here acts upon are not looked at. `ip`, `ipv4` and `ipv6` are among them: who may name the
address of others can send swarms of clients there.
"""

from functools import lru_cache

from forebay.announcer.announce import Announce, Event
from forebay.announcer.errors import RequestError
from forebay.announcer.wire.parameters import every, parameters, twenty_octets, whole_number
from forebay.announcer.wire.percent import percent_decode

LONGEST_KEY = 32
"""Octets of a key that count."""
UNTOLD = 2**64 - 1
"""What clients tell to be left that do not know it."""

_EVENTS = {event.value.encode(): event for event in Event}


def read_announce(query: bytes, address: bytes) -> Announce:
    """Read an announce that came from an address, of 4 or 16 octets.

    Raises `RequestError`.
    """
    fields = parameters(query)
    field = fields.get
    event = _EVENTS.get(field(b"event", b""))
    if event is None:
        raise RequestError("invalid event")
    return Announce(
        info_hash=_info_hash(query, fields),
        peer_id=twenty_octets("peer_id", percent_decode(field(b"peer_id", b""))),
        port=_port(field(b"port"), event),
        uploaded=whole_number(field(b"uploaded")) or 0,
        downloaded=whole_number(field(b"downloaded")) or 0,
        left=left_of(whole_number(field(b"left"))),
        event=event,
        numwant=whole_number(field(b"numwant")),
        key=percent_decode(field(b"key", b""))[:LONGEST_KEY],
        address=address,
        compact=field(b"compact") != b"0",
        no_peer_id=field(b"no_peer_id") == b"1",
    )


def _info_hash(query: bytes, fields: dict[bytes, bytes]) -> bytes:
    if len(fields) <= query.count(b"&") and len(every(query, b"info_hash")) > 1:
        raise RequestError("more than one info_hash")
    return _decoded_hash(fields.get(b"info_hash", b""))


@lru_cache(4096)
def _decoded_hash(value: bytes) -> bytes:
    """The same few torrents are asked for time and again."""
    return twenty_octets("info_hash", percent_decode(value))


def _port(value: bytes | None, event: Event) -> int:
    port = whole_number(value)
    if port is None or not port_is_valid(port, event):
        raise RequestError("invalid port")
    return port


def port_is_valid(port: int, event: Event) -> bool:
    """Whether a client may tell this port: one that has stopped need not have any."""
    return 0 < port < 65536 or (port == 0 and event is Event.STOPPED)


def left_of(told: int | None) -> int | None:
    """What is left, None where the client does not know."""
    return None if told is None or told >= UNTOLD else told
