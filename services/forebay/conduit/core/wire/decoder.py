"""From datagrams to messages. Whatever the octets are, nothing is raised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.wire.declarationcodec import read_declaration
from forebay.conduit.core.wire.extras import LONG_NUMBER_BITS
from forebay.conduit.core.wire.header import (
    ACCEPT,
    ACKNACK,
    BDATA,
    CLOSE,
    CONDUIT,
    CONDUIT_CLOSE,
    DECLARE,
    FRAGMENT,
    HELLO,
    ID_MASK,
    KEEPALIVE,
    MIGRATE,
    OPEN,
    PING,
    PONG,
    PULL,
    QUERY,
    REPLY,
    SCOUT,
    SDATA,
    SYNCH,
    WDATA,
    A,
    C,
    M,
    N,
    P,
    R,
    S,
    U,
    Z,
)
from forebay.conduit.core.wire.messages import (
    MAX_ASKED,
    MAX_PEER_ID,
    Accept,
    AckNack,
    Close,
    Data,
    Declare,
    Hello,
    KeepAlive,
    Malformed,
    Open,
    Ping,
    Pong,
    Scout,
    Synch,
    WriteData,
)
from forebay.conduit.core.wire.ownmessagecodec import (
    read_batch,
    read_conduit_close,
    read_migrate,
    read_pull,
    read_query,
    read_reply,
)
from forebay.conduit.core.wire.ownmessages import Fragment
from forebay.conduit.core.wire.properties import read_properties
from forebay.conduit.core.wire.reader import Reader, UnreadableError
from forebay.conduit.core.wire.samples import read_samples

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.wire.messages import Message, Properties

_LEASE_LIMIT = 1 << 32
_CONDUITS = 256


def decode(
    datagram: bytes | bytearray | memoryview, number_bits: int, long_conduit: int = -1
) -> tuple[list[Message], Malformed | None]:
    """Messages of a datagram, and what was wrong with the rest of it, if anything.

    `number_bits` is the length of the numbers of samples in that session: a longer number is an error, but for one
    conduit, if the nodes agreed that it has the long ones. A CONDUIT marker
    holds for all that follows in the datagram, as for zhe programs; the protocol's text has it hold for one message, so
    senders keep to one conduit a datagram. Messages before an error are good; by the protocol it ends the session.
    """
    data, numbers = bytes(datagram), 1 << number_bits
    messages: list[Message] = []
    reader = Reader(data, numbers)
    conduit = start = 0
    try:
        while (start := read_samples(data, start, conduit, numbers, messages)) < len(data):
            reader.at = start + 1
            head = data[start]
            if head & ID_MASK == CONDUIT:
                conduit = _read_conduit(reader, head)
                reader.numbers = numbers = 1 << (LONG_NUMBER_BITS if conduit == long_conduit else number_bits)
            else:
                messages.append(_read_message(reader, head, conduit))
            start = reader.at
    except UnreadableError as error:
        return messages, Malformed(start, str(error))
    return messages, None


def _read_conduit(reader: Reader, head: int) -> int:
    return 1 + (head >> 5 & 3) if head & Z else reader.vle("the conduit", _CONDUITS)


def _read_message(reader: Reader, head: int, conduit: int) -> Message:
    read = _READERS.get(head & ID_MASK)
    if read is None:
        raise UnreadableError(f"no message has the id {head & ID_MASK}")
    return read(reader, head, conduit)


def _properties(reader: Reader, head: int) -> Properties:
    return read_properties(reader) if head & P else ()


def _locators(reader: Reader) -> tuple[str, ...]:
    return tuple(reader.text("a locator") for _ in range(reader.count("the count of locators")))


def _peer_id(reader: Reader) -> bytes:
    peer_id = reader.octets("the peer id")
    if not 0 < len(peer_id) <= MAX_PEER_ID:
        raise UnreadableError(f"the peer id has {len(peer_id)} octets, not 1 to {MAX_PEER_ID}")
    return peer_id


def _read_scout(reader: Reader, head: int, _conduit: int) -> Scout:
    return Scout(reader.vle("the mask"), _properties(reader, head))


def _read_hello(reader: Reader, head: int, _conduit: int) -> Hello:
    return Hello(reader.vle("the mask"), _locators(reader), _properties(reader, head))


def _read_open(reader: Reader, head: int, _conduit: int) -> Open:
    version, peer_id, lease = reader.octet("the version"), _peer_id(reader), reader.vle("the lease", _LEASE_LIMIT)
    return Open(version, peer_id, lease, _locators(reader), _properties(reader, head))


def _read_accept(reader: Reader, head: int, _conduit: int) -> Accept:
    opener, accepter, lease = _peer_id(reader), _peer_id(reader), reader.vle("the lease", _LEASE_LIMIT)
    return Accept(opener, accepter, lease, _properties(reader, head))


def _read_close(reader: Reader, _head: int, _conduit: int) -> Close:
    return Close(_peer_id(reader), reader.octet("the reason"))


def _read_synch(reader: Reader, head: int, conduit: int) -> Synch:
    number = reader.number()
    unacked = reader.vle("the count of samples", reader.numbers) if head & U else None
    return Synch(conduit, bool(head & R), bool(head & S), number, unacked)


def _read_acknack(reader: Reader, head: int, conduit: int) -> AckNack:
    number = reader.number()
    return AckNack(conduit, number, reader.low_bits("the mask", MAX_ASKED) if head & M else None)


def _read_data(reader: Reader, head: int, conduit: int) -> Data:
    number, rid = reader.number(), reader.id("the id of a resource")
    prid = reader.id("the id of a resource") if head & A else None
    return Data(conduit, bool(head & R), bool(head & S), number, rid, prid, reader.octets("the payload"))


def _read_write_data(reader: Reader, head: int, conduit: int) -> WriteData:
    number, uri = reader.number(), reader.text("the URI")
    return WriteData(conduit, bool(head & R), bool(head & S), number, uri, reader.octets("the payload"))


def _read_declare(reader: Reader, head: int, conduit: int) -> Declare:
    number, count = reader.number(), reader.count("the count of declarations")
    declarations = tuple(read_declaration(reader) for _ in range(count))
    return Declare(conduit, bool(head & S), bool(head & C), number, declarations)


def _read_fragment(reader: Reader, head: int, conduit: int) -> Fragment:
    """The marker and the message that it goes with."""
    base = reader.number()
    if not head & N:
        raise UnreadableError("a fragment does not tell how many there are")
    count = reader.vle("the count of pieces", reader.numbers)
    head = reader.octet("the message behind the marker of a fragment")
    if head & ID_MASK == SDATA:
        return Fragment(base, count, _read_data(reader, head, conduit))
    if head & ID_MASK == WDATA:
        return Fragment(base, count, _read_write_data(reader, head, conduit))
    raise UnreadableError(f"a message with the id {head & ID_MASK} is no fragment")


_READERS: dict[int, Callable[[Reader, int, int], Message]] = {
    SCOUT: _read_scout,
    HELLO: _read_hello,
    OPEN: _read_open,
    ACCEPT: _read_accept,
    CLOSE: _read_close,
    DECLARE: _read_declare,
    SDATA: _read_data,
    BDATA: read_batch,
    WDATA: _read_write_data,
    QUERY: read_query,
    PULL: read_pull,
    PING: lambda reader, _head, _conduit: Ping(reader.vle("the hash")),
    PONG: lambda reader, _head, _conduit: Pong(reader.vle("the hash")),
    SYNCH: _read_synch,
    ACKNACK: _read_acknack,
    KEEPALIVE: lambda reader, _head, _conduit: KeepAlive(_peer_id(reader)),
    CONDUIT_CLOSE: read_conduit_close,
    FRAGMENT: _read_fragment,
    MIGRATE: read_migrate,
    REPLY: read_reply,
}
