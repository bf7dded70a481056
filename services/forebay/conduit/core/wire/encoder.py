"""From messages to datagrams.

A message is appended without the marker of its conduit: a datagram is of one conduit, and begins with its marker. What
is given must be within the bounds that `messages` tells; it is the node's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebay.conduit.core.wire.declarationcodec import write_declaration
from forebay.conduit.core.wire.header import (
    ACCEPT,
    ACKNACK,
    CLOSE,
    CONDUIT,
    DECLARE,
    HELLO,
    KEEPALIVE,
    OPEN,
    PING,
    PONG,
    SCOUT,
    SDATA,
    SYNCH,
    WDATA,
    A,
    C,
    M,
    P,
    R,
    S,
    U,
    Z,
)
from forebay.conduit.core.wire.messages import (
    Accept,
    AckNack,
    Close,
    Data,
    Declare,
    Hello,
    KeepAlive,
    Open,
    Ping,
    Pong,
    Scout,
    Synch,
    WriteData,
)
from forebay.conduit.core.wire.ownmessagecodec import (
    encode_batch,
    encode_conduit_close,
    encode_fragment_marker,
    encode_migrate,
    encode_pull,
    encode_query,
    encode_reply,
)
from forebay.conduit.core.wire.ownmessages import BatchData, ConduitClose, Fragment, Migrate, Pull, Query, Reply
from forebay.conduit.core.wire.properties import write_properties
from forebay.conduit.core.wire.vle import id_to_wire, vle

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.wire.messages import Message, Properties

COMPACT_CONDUITS = range(1, 5)
"""Conduits whose marker is one octet."""


def encode(out: bytearray, message: Message) -> None:
    """Append any message."""
    _ENCODERS[type(message)](out, message)


def conduit_marker(conduit: int) -> bytes:
    """What a datagram of that conduit, 0 to 255, begins with: nothing for conduit 0."""
    if conduit in COMPACT_CONDUITS:
        return bytes((CONDUIT | Z | conduit - 1 << 5,))
    return bytes((CONDUIT,)) + vle(conduit) if conduit else b""


def encode_scout(out: bytearray, message: Scout) -> None:
    """Append a SCOUT."""
    out.append(_with_properties(SCOUT, message.properties))
    out += vle(message.mask)
    _end(out, message.properties)


def encode_hello(out: bytearray, message: Hello) -> None:
    """Append a HELLO."""
    out.append(_with_properties(HELLO, message.properties))
    out += vle(message.mask)
    _write_locators(out, message.locators)
    _end(out, message.properties)


def encode_open(out: bytearray, message: Open) -> None:
    """Append an OPEN."""
    out += bytes((_with_properties(OPEN, message.properties), message.version))
    _write_octets(out, message.peer_id)
    out += vle(message.lease)
    _write_locators(out, message.locators)
    _end(out, message.properties)


def encode_accept(out: bytearray, message: Accept) -> None:
    """Append an ACCEPT."""
    out.append(_with_properties(ACCEPT, message.properties))
    _write_octets(out, message.opener)
    _write_octets(out, message.accepter)
    out += vle(message.lease)
    _end(out, message.properties)


def encode_close(out: bytearray, message: Close) -> None:
    """Append a CLOSE."""
    out.append(CLOSE)
    _write_octets(out, message.peer_id)
    out.append(message.reason)


def encode_keepalive(out: bytearray, message: KeepAlive) -> None:
    """Append a KEEPALIVE."""
    out.append(KEEPALIVE)
    _write_octets(out, message.peer_id)


def encode_ping(out: bytearray, message: Ping) -> None:
    """Append a PING."""
    out.append(PING)
    out += vle(message.hash)


def encode_pong(out: bytearray, message: Pong) -> None:
    """Append a PONG."""
    out.append(PONG)
    out += vle(message.hash)


def encode_synch(out: bytearray, message: Synch) -> None:
    """Append a SYNCH."""
    out.append(SYNCH | R * message.reliable | S * message.s | U * (message.unacked is not None))
    out += vle(message.number)
    if message.unacked is not None:
        out += vle(message.unacked)


def encode_acknack(out: bytearray, message: AckNack) -> None:
    """Append an ACKNACK."""
    out.append(ACKNACK | M * (message.mask is not None))
    out += vle(message.number)
    if message.mask is not None:
        out += vle(message.mask)


def encode_data(out: bytearray, message: Data) -> None:
    """Append one SDATA; `samples.encode_samples` makes many."""
    out.append(SDATA | R * message.reliable | S * message.s | A * (message.prid is not None))
    out += vle(message.number) + vle(id_to_wire(message.rid))
    if message.prid is not None:
        out += vle(id_to_wire(message.prid))
    _write_octets(out, message.payload)


def encode_write_data(out: bytearray, message: WriteData) -> None:
    """Append a WDATA."""
    out.append(WDATA | R * message.reliable | S * message.s)
    out += vle(message.number)
    _write_octets(out, message.uri.encode("latin-1"))
    _write_octets(out, message.payload)


def encode_declare(out: bytearray, message: Declare) -> None:
    """Append a DECLARE."""
    out.append(DECLARE | S * message.s | C * message.committed)
    out += vle(message.number) + vle(len(message.declarations))
    for declaration in message.declarations:
        write_declaration(out, declaration)


def encode_fragment(out: bytearray, message: Fragment) -> None:
    """Append one piece of a sample, with its marker."""
    encode_fragment_marker(out, message)
    encode(out, message.piece)


def _with_properties(message_id: int, properties: Properties) -> int:
    return message_id | P if properties else message_id


def _end(out: bytearray, properties: Properties) -> None:
    if properties:
        write_properties(out, properties)


def _write_octets(out: bytearray, octets: bytes) -> None:
    out += vle(len(octets))
    out += octets


def _write_locators(out: bytearray, locators: tuple[str, ...]) -> None:
    out += vle(len(locators))
    for locator in locators:
        _write_octets(out, locator.encode("latin-1"))


_ENCODERS: dict[type, Callable[[bytearray, Any], None]] = {
    Scout: encode_scout,
    Hello: encode_hello,
    Open: encode_open,
    Accept: encode_accept,
    Close: encode_close,
    KeepAlive: encode_keepalive,
    Ping: encode_ping,
    Pong: encode_pong,
    Synch: encode_synch,
    AckNack: encode_acknack,
    Data: encode_data,
    WriteData: encode_write_data,
    Declare: encode_declare,
    BatchData: encode_batch,
    Pull: encode_pull,
    Query: encode_query,
    Reply: encode_reply,
    ConduitClose: encode_conduit_close,
    Migrate: encode_migrate,
    Fragment: encode_fragment,
}
