"""How the messages look that go to peers alone with whom the extras were agreed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.wire.header import (
    BDATA,
    CONDUIT_CLOSE,
    FRAGMENT,
    MIGRATE,
    PULL,
    QUERY,
    REPLY,
    A,
    F,
    I,
    N,
    R,
    S,
)
from forebay.conduit.core.wire.ownmessages import BatchData, ConduitClose, Migrate, Pull, Query, Reply
from forebay.conduit.core.wire.vle import id_to_wire, vle

if TYPE_CHECKING:
    from forebay.conduit.core.wire.ownmessages import Fragment
    from forebay.conduit.core.wire.reader import Reader


def read_batch(reader: Reader, head: int, conduit: int) -> BatchData:
    """BDATA behind its first octet."""
    number, rid = reader.number(), reader.id("the id of a resource")
    count = reader.count("the count of samples")
    if not head & A:
        payloads = tuple(reader.octets("a payload") for _ in range(count))
        return BatchData(conduit, bool(head & R), bool(head & S), number, rid, None, payloads)
    samples = [(reader.id("the id of a resource"), reader.octets("a payload")) for _ in range(count)]
    prids = tuple(prid for prid, _ in samples)
    return BatchData(
        conduit, bool(head & R), bool(head & S), number, rid, prids, tuple(payload for _, payload in samples)
    )


def read_pull(reader: Reader, head: int, conduit: int) -> Pull:
    """PULL behind its first octet."""
    number, rid = reader.number(), reader.id("the id of a resource")
    limit = reader.vle("the count of samples") if head & N else None
    return Pull(conduit, bool(head & S), bool(head & F), number, rid, limit)


def read_query(reader: Reader, head: int, conduit: int) -> Query:
    """QUERY behind its first octet."""
    number, query = reader.number(), reader.vle("the id of a query")
    return Query(conduit, bool(head & S), number, query, reader.text("the URI"), reader.octets("the payload"))


def read_reply(reader: Reader, head: int, conduit: int) -> Reply:
    """REPLY behind its first octet."""
    number, query = reader.number(), reader.vle("the id of a query")
    uri, payload = reader.text("the URI"), reader.octets("the payload")
    return Reply(conduit, bool(head & S), bool(head & F), number, query, uri, payload)


def read_conduit_close(reader: Reader, head: int, conduit: int) -> ConduitClose:
    """CONDUIT_CLOSE behind its first octet."""
    return ConduitClose(conduit, bool(head & S), reader.number())


def read_migrate(reader: Reader, head: int, conduit: int) -> Migrate:
    """MIGRATE behind its first octet."""
    number, old = reader.number(), reader.vle("the old conduit", 256)
    rid = reader.id("the id of a resource") if head & I else None
    return Migrate(conduit, number, old, rid, reader.number(), reader.number())


def encode_batch(out: bytearray, message: BatchData) -> None:
    """Append a BDATA."""
    out.append(BDATA | R * message.reliable | S * message.s | A * (message.prids is not None))
    out += vle(message.number) + vle(id_to_wire(message.rid)) + vle(len(message.payloads))
    prids = [b""] * len(message.payloads) if message.prids is None else [vle(id_to_wire(rid)) for rid in message.prids]
    for prid, payload in zip(prids, message.payloads, strict=True):
        out += prid + vle(len(payload)) + payload


def encode_pull(out: bytearray, message: Pull) -> None:
    """Append a PULL."""
    out.append(PULL | S * message.s | F * message.final | N * (message.limit is not None))
    out += vle(message.number) + vle(id_to_wire(message.rid))
    if message.limit is not None:
        out += vle(message.limit)


def encode_query(out: bytearray, message: Query) -> None:
    """Append a QUERY."""
    out.append(QUERY | S * message.s)
    out += vle(message.number) + vle(message.query)
    _write_sample(out, message.uri, message.payload)


def encode_reply(out: bytearray, message: Reply) -> None:
    """Append a REPLY."""
    out.append(REPLY | S * message.s | F * message.final)
    out += vle(message.number) + vle(message.query)
    _write_sample(out, message.uri, message.payload)


def encode_conduit_close(out: bytearray, message: ConduitClose) -> None:
    """Append a CONDUIT_CLOSE."""
    out.append(CONDUIT_CLOSE | S * message.s)
    out += vle(message.number)


def encode_migrate(out: bytearray, message: Migrate) -> None:
    """Append a MIGRATE."""
    out.append(MIGRATE | I * (message.rid is not None))
    out += vle(message.number) + vle(message.old)
    if message.rid is not None:
        out += vle(id_to_wire(message.rid))
    out += vle(message.reliable_next) + vle(message.unreliable_next)


def encode_fragment_marker(out: bytearray, message: Fragment) -> None:
    """Append the marker that goes before the piece."""
    out.append(FRAGMENT | N)
    out += vle(message.base) + vle(message.pieces)


def _write_sample(out: bytearray, uri: str, payload: bytes) -> None:
    out += vle(len(uri)) + uri.encode("latin-1") + vle(len(payload)) + payload
