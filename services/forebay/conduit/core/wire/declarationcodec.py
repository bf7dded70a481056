"""How declarations look on the wire: an octet with the kind in its low four bits, then the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from forebay.conduit.core.wire.declarations import (
    PERIODIC,
    BindingDeclaration,
    Commit,
    Declaration,
    ForgetPublisher,
    ForgetResource,
    ForgetSelection,
    ForgetSubscriber,
    ForgetToken,
    Period,
    PublisherDeclaration,
    ResourceDeclaration,
    Result,
    SelectionDeclaration,
    SubscriberDeclaration,
    SubscriptionMode,
    TokenDeclaration,
)
from forebay.conduit.core.wire.header import G, P
from forebay.conduit.core.wire.properties import read_properties, write_properties
from forebay.conduit.core.wire.reader import Reader, UnreadableError
from forebay.conduit.core.wire.vle import id_to_wire, vle

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.wire.messages import Properties

KIND_MASK: Final = 0x0F

RESOURCE: Final = 1
PUBLISHER: Final = 2
SUBSCRIBER: Final = 3
SELECTION: Final = 4
BINDING: Final = 5
COMMIT: Final = 6
RESULT: Final = 7
FORGET_RESOURCE: Final = 8
FORGET_PUBLISHER: Final = 9
FORGET_SUBSCRIBER: Final = 10
FORGET_SELECTION: Final = 11
TOKEN: Final = 12
FORGET_TOKEN: Final = 13
"""The last two are not of the protocol."""

_PERIOD_LIMIT = 1 << 32
_MODES = frozenset(SubscriptionMode)
_NO_PERIOD = Period(0, 0, 0)


def read_declaration(reader: Reader) -> Declaration:
    """One declaration; raises `UnreadableError` when there is none that is known."""
    head = reader.octet("a declaration")
    read = _READERS.get(head & KIND_MASK)
    if read is None:
        raise UnreadableError(f"no declaration has the kind {head & KIND_MASK}")
    return read(reader, head)


def write_declaration(out: bytearray, declaration: Declaration) -> None:
    """Append one declaration."""
    _WRITERS[type(declaration)](out, declaration)


def _rid(reader: Reader) -> int:
    return reader.id("the id of a declaration")


def _trailing_properties(reader: Reader, head: int) -> Properties:
    return read_properties(reader) if head & P else ()


def _read_resource(reader: Reader, head: int) -> ResourceDeclaration:
    return ResourceDeclaration(_rid(reader), reader.text("the URI"), _trailing_properties(reader, head))


def _read_publisher(reader: Reader, head: int) -> PublisherDeclaration:
    return PublisherDeclaration(_rid(reader), _trailing_properties(reader, head))


def _read_subscriber(reader: Reader, head: int) -> SubscriberDeclaration:
    rid, mode = _rid(reader), reader.octet("the subscription mode")
    if mode not in _MODES:
        raise UnreadableError(f"no subscription mode is {mode}")
    period = _read_period(reader) if mode in PERIODIC else None
    return SubscriberDeclaration(rid, mode, period, _trailing_properties(reader, head))


def _read_period(reader: Reader) -> Period:
    return Period(*(reader.vle(f"the {name} of a subscription", _PERIOD_LIMIT) for name in Period._fields))


def _read_selection(reader: Reader, head: int) -> SelectionDeclaration:
    sid, query = _rid(reader), reader.text("the query of a selection")
    return SelectionDeclaration(sid, query, bool(head & G), _trailing_properties(reader, head))


def _read_binding(reader: Reader, head: int) -> BindingDeclaration:
    return BindingDeclaration(_rid(reader), _rid(reader), bool(head & G))


def _read_commit(reader: Reader, _head: int) -> Commit:
    return Commit(reader.octet("the commit id"))


def _read_result(reader: Reader, _head: int) -> Result:
    commit_id, status = reader.octet("the commit id"), reader.octet("the status of a result")
    return Result(commit_id, status, _rid(reader) if status else None)


def _read_token(reader: Reader, _head: int) -> TokenDeclaration:
    return TokenDeclaration(reader.vle("the token"), reader.text("the URI of a token"))


_READERS: dict[int, Callable[[Reader, int], Declaration]] = {
    RESOURCE: _read_resource,
    PUBLISHER: _read_publisher,
    SUBSCRIBER: _read_subscriber,
    SELECTION: _read_selection,
    BINDING: _read_binding,
    COMMIT: _read_commit,
    RESULT: _read_result,
    FORGET_RESOURCE: lambda reader, _head: ForgetResource(_rid(reader)),
    FORGET_PUBLISHER: lambda reader, _head: ForgetPublisher(_rid(reader)),
    FORGET_SUBSCRIBER: lambda reader, _head: ForgetSubscriber(_rid(reader)),
    FORGET_SELECTION: lambda reader, _head: ForgetSelection(_rid(reader)),
    TOKEN: _read_token,
    FORGET_TOKEN: lambda reader, _head: ForgetToken(reader.vle("the token")),
}


def _begin(out: bytearray, kind: int, rid: int, properties: Properties = (), flags: int = 0) -> None:
    out.append(kind | flags | (P if properties else 0))
    out += vle(id_to_wire(rid))


def _write_text(out: bytearray, text: str) -> None:
    out += vle(len(text))
    out += text.encode("latin-1")


def _end(out: bytearray, properties: Properties) -> None:
    if properties:
        write_properties(out, properties)


def _write_resource(out: bytearray, declaration: ResourceDeclaration) -> None:
    _begin(out, RESOURCE, declaration.rid, declaration.properties)
    _write_text(out, declaration.uri)
    _end(out, declaration.properties)


def _write_publisher(out: bytearray, declaration: PublisherDeclaration) -> None:
    _begin(out, PUBLISHER, declaration.rid, declaration.properties)
    _end(out, declaration.properties)


def _write_subscriber(out: bytearray, declaration: SubscriberDeclaration) -> None:
    _begin(out, SUBSCRIBER, declaration.rid, declaration.properties)
    out.append(declaration.mode)
    if declaration.mode in PERIODIC:
        for number in declaration.period or _NO_PERIOD:
            out += vle(number)
    _end(out, declaration.properties)


def _write_selection(out: bytearray, declaration: SelectionDeclaration) -> None:
    _begin(out, SELECTION, declaration.sid, declaration.properties, G * declaration.globally)
    _write_text(out, declaration.query)
    _end(out, declaration.properties)


def _write_binding(out: bytearray, declaration: BindingDeclaration) -> None:
    _begin(out, BINDING, declaration.old, (), G * declaration.globally)
    out += vle(id_to_wire(declaration.new))


def _write_commit(out: bytearray, declaration: Commit) -> None:
    out += bytes((COMMIT, declaration.commit_id))


def _write_result(out: bytearray, declaration: Result) -> None:
    out += bytes((RESULT, declaration.commit_id, declaration.status))
    if declaration.status:
        out += vle(id_to_wire(declaration.rid or 0))


def _write_token(out: bytearray, declaration: TokenDeclaration) -> None:
    out.append(TOKEN)
    out += vle(declaration.token)
    _write_text(out, declaration.uri)


def _write_forget_token(out: bytearray, declaration: ForgetToken) -> None:
    out.append(FORGET_TOKEN)
    out += vle(declaration.token)


_WRITERS: dict[type, Callable[[bytearray, Any], None]] = {
    ResourceDeclaration: _write_resource,
    PublisherDeclaration: _write_publisher,
    SubscriberDeclaration: _write_subscriber,
    SelectionDeclaration: _write_selection,
    BindingDeclaration: _write_binding,
    Commit: _write_commit,
    Result: _write_result,
    ForgetResource: lambda out, declaration: _begin(out, FORGET_RESOURCE, declaration.rid),
    ForgetPublisher: lambda out, declaration: _begin(out, FORGET_PUBLISHER, declaration.rid),
    ForgetSubscriber: lambda out, declaration: _begin(out, FORGET_SUBSCRIBER, declaration.rid),
    ForgetSelection: lambda out, declaration: _begin(out, FORGET_SELECTION, declaration.sid),
    TokenDeclaration: _write_token,
    ForgetToken: _write_forget_token,
}
