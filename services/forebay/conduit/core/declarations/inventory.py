"""All declarations that a node knows, for people and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.core.declarations.events import DeclarationKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from forebay.conduit.core.declarations.names import Names
    from forebay.conduit.core.declarations.own import OwnDeclarations
    from forebay.conduit.core.declarations.peerbook import PeerBook
    from forebay.conduit.core.declarations.register import Register


class Known(NamedTuple):
    """One declaration that a node knows."""

    peer_id: bytes
    """Who made it; empty: the node itself."""
    kind: DeclarationKind
    rid: int
    uri: str
    """Empty when nobody has defined it."""
    mode: int = 0
    """Of a subscriber: its `SubscriptionMode`."""


def inventory(register: Register) -> Iterator[Known]:
    """The node's own declarations first, then those of its peers."""
    yield from _own(register.own)
    yield from _of_peers(register.books.values(), register.directory.names)


def _own(own: OwnDeclarations) -> Iterator[Known]:
    for definition in own.definitions.values():
        if definition.status == 0:
            yield Known(b"", DeclarationKind.RESOURCE, definition.rid, definition.uri)
    for sid, query in own.ids.items():
        yield Known(b"", DeclarationKind.SELECTION, sid, query)
    for token, uri in own.tokens.items():
        yield Known(b"", DeclarationKind.LIVELINESS, token, uri)
    for rid in own.published:
        yield Known(b"", DeclarationKind.PUBLISHER, rid, own.uri(rid))
    for subscription in own.subscriptions.values():
        yield Known(b"", DeclarationKind.SUBSCRIBER, subscription.rid, own.uri(subscription.rid), subscription.mode)


def _of_peers(books: Iterable[PeerBook], names: Names) -> Iterator[Known]:
    for book in books:
        who = book.peer.peer_id
        for rid in book.resources:
            yield Known(who, DeclarationKind.RESOURCE, rid, names.resources.uri(rid))
        for sid, query in book.ids.items():
            yield Known(who, DeclarationKind.RESOURCE if sid >= 0 else DeclarationKind.SELECTION, sid, query)
        for token, uri in book.tokens.items():
            yield Known(who, DeclarationKind.LIVELINESS, token, uri)
        for rid in book.publishers:
            yield Known(who, DeclarationKind.PUBLISHER, rid, names.uri(rid, book.ids))
        for rid, subscription in book.subscriptions.items():
            yield Known(who, DeclarationKind.SUBSCRIBER, rid, names.uri(rid, book.ids), subscription.mode)
