"""What our own nodes add to the protocol, and how two of them agree on it.

A node tells its extras by one property of OPEN and ACCEPT, so anew for each session. Its id is odd, so a zhe program
passes over it and a peer without it is spoken to as the protocol has it. The value: a magic octet and a version, since
other vendors may use the same id; then, each a number of variable length, the extras as bits, the length of the numbers
of samples, the octets of the largest sample that is put together from pieces, and how many conduits to all the node
has. What follows is of newer releases and is passed over.

Numbers of the longer length are those of the conduit to one peer alone, and only if it has the same number with both
nodes: what goes to all has the length that all peers share, which OPEN tells by the protocol's own property.
"""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING, Final, NamedTuple

from forebay.conduit.core.errors import NotAgreedError
from forebay.conduit.core.wire.declarations import (
    BindingDeclaration,
    ForgetSelection,
    ForgetToken,
    SelectionDeclaration,
    SubscriberDeclaration,
    SubscriptionMode,
    TokenDeclaration,
)
from forebay.conduit.core.wire.messages import Data, Declare
from forebay.conduit.core.wire.ownmessages import BatchData, ConduitClose, Fragment, Migrate, Pull, Query, Reply
from forebay.conduit.core.wire.properties import DEFAULT_NUMBER_BITS, property_number, property_value
from forebay.conduit.core.wire.reader import Reader, UnreadableError
from forebay.conduit.core.wire.vle import vle

if TYPE_CHECKING:
    from forebay.conduit.core.wire.declarations import Declaration
    from forebay.conduit.core.wire.messages import Message, Properties

EXTRAS: Final = 123
"""Property of a session: its sender's extras."""
HISTORY: Final = 125
"""Property of a subscriber: how many of the last samples of each resource it wants at first."""
UNICAST: Final = 127
"""Property of a resource, without a value: it has one subscriber at most."""
LONG_NUMBER_BITS: Final = 28
"""Length of the numbers of samples that our own nodes prefer."""

_MAGIC = b"\xfb\x01"
_NUMBER_BITS = frozenset({DEFAULT_NUMBER_BITS, LONG_NUMBER_BITS})


class Extra(IntFlag):
    """One thing that two nodes may agree on."""

    FRAGMENTS = 1
    """Samples larger than a datagram."""
    AUTHENTICATION = 2
    """Datagrams with a keyed hash."""
    HISTORY = 4
    """The last samples for those who subscribe late."""
    LIVELINESS = 8
    """Liveliness tokens."""
    QUERIES = 16
    """Selections and bindings, queries and pulls, batches, and the end of conduits."""


_KNOWN = Extra(sum(Extra))


class Extras(NamedTuple):
    """What a node offers, or what two of them agreed on."""

    offered: Extra = Extra(0)
    number_bits: int = DEFAULT_NUMBER_BITS
    """Length of the numbers of samples, 14 or 28."""
    largest_sample: int = 0
    """Octets of the largest sample in pieces; of an agreement, that the other one takes."""
    conduits: int = 0
    """How many conduits to all a node has, or the other one: the conduit to one peer has the number after those. 0: it
    does not tell."""


NO_EXTRAS: Final = Extras()
"""What holds with a peer that knows of none."""


def extras_property(extras: Extras) -> tuple[int, bytes]:
    """The property that tells them."""
    return EXTRAS, _MAGIC + b"".join(map(vle, extras))


def extras_of(properties: Properties) -> Extras:
    """What a peer offers; nothing when it has no such property, or one that is not ours."""
    value = property_value(properties, EXTRAS)
    if value is None or not value.startswith(_MAGIC):
        return NO_EXTRAS
    reader = Reader(value[len(_MAGIC) :], 0)
    try:
        offered, bits, largest, conduits = (reader.vle(name) for name in Extras._fields)
    except UnreadableError:
        return NO_EXTRAS
    return Extras(Extra(offered & _KNOWN), bits, largest, conduits) if bits in _NUMBER_BITS else NO_EXTRAS


def agreed(ours: Extras, theirs: Extras) -> Extras:
    """What holds between two nodes that offer these: what both offer, the shorter numbers, what the other one takes."""
    both = ours.offered & theirs.offered
    largest = theirs.largest_sample if Extra.FRAGMENTS in both else 0
    alike = ours.conduits == theirs.conduits
    bits = min(ours.number_bits, theirs.number_bits) if alike else DEFAULT_NUMBER_BITS
    return Extras(both, bits, largest, theirs.conduits) if both or bits != DEFAULT_NUMBER_BITS else NO_EXTRAS


def history_property(samples: int) -> tuple[int, bytes]:
    """The property by which a subscriber asks for the last samples of each resource."""
    return HISTORY, vle(samples)


def history_of(properties: Properties) -> int:
    """How many of the last samples a subscriber asks for."""
    return property_number(properties, HISTORY, 0) or 0


def unicast_property() -> tuple[int, bytes]:
    """The property by which a resource has one subscriber at most."""
    return UNICAST, b""


def is_unicast(properties: Properties) -> bool:
    """Whether a resource has one subscriber at most."""
    return property_value(properties, UNICAST) is not None


_OWN_MESSAGES: dict[type, Extra] = {
    BatchData: Extra.QUERIES,
    Pull: Extra.QUERIES,
    Query: Extra.QUERIES,
    Reply: Extra.QUERIES,
    ConduitClose: Extra.QUERIES,
    Migrate: Extra.QUERIES,
    Fragment: Extra.FRAGMENTS,
}
_OWN_DECLARATIONS: dict[type, Extra] = {
    SelectionDeclaration: Extra.QUERIES,
    BindingDeclaration: Extra.QUERIES,
    ForgetSelection: Extra.QUERIES,
    TokenDeclaration: Extra.LIVELINESS,
    ForgetToken: Extra.LIVELINESS,
}


def needed_for(message: Message) -> Extra:
    """Which extras must be agreed with whom this message goes to: a zhe program ends the session over it, or worse.

    It knows no ids of selections: it may stop over one. A subscription other than push it refuses with UNSUPPORTED, and
    closes the session if that was committed.
    """
    if isinstance(message, Data):
        return _needed_for_ids(message.rid, message.prid or 0)
    if isinstance(message, Declare):
        needed = Extra(0)
        for declaration in message.declarations:
            needed |= _needed_for_declaration(declaration, committed=message.committed)
        return needed
    return _OWN_MESSAGES.get(type(message), Extra(0))


def check_agreed(message: Message, agreement: Extras) -> None:
    """Raise `NotAgreedError` unless the message may go to a peer with whom this was agreed."""
    missing = needed_for(message) & ~agreement.offered
    if missing:
        names = " and ".join(extra.name.lower() for extra in Extra if extra in missing and extra.name)
        raise NotAgreedError(type(message).__name__, names)


def _needed_for_declaration(declaration: Declaration, *, committed: bool) -> Extra:
    needed = _OWN_DECLARATIONS.get(type(declaration), Extra(0))
    if isinstance(declaration, SubscriberDeclaration) and committed and declaration.mode != SubscriptionMode.PUSH:
        needed |= Extra.QUERIES
    rid: int | None = getattr(declaration, "rid", None)
    return needed | _needed_for_ids(rid or 0)


def _needed_for_ids(*ids: int) -> Extra:
    return Extra.QUERIES if min(ids) < 0 else Extra(0)
