"""Properties: optional pairs of an id and octets, of sessions and declarations; the quality of service they tell."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.core.wire.reader import Reader, UnreadableError
from forebay.conduit.core.wire.vle import vle

if TYPE_CHECKING:
    from forebay.conduit.core.wire.messages import Properties

ID_LIMIT = 1 << 32
"""Ids from here on are nobody's: such properties are passed over."""


class PropertyId(IntEnum):
    """Properties of the protocol."""

    VENDOR = 0
    """DDSI vendor code."""
    CONDUITS = 2
    """How many conduits the sender knows; 1 by default."""
    NUMBER_BITS = 4
    """Length of the numbers of samples; 14 by default."""
    RELIABILITY = 6
    """1, the default, or 0."""
    DURABILITY = 8
    """A `Durability`."""
    COMMIT_MODE = 10
    """How many pending declarations the sender handles while it processes a commit."""
    AUTHENTICATION = 12
    CLIENT_HASH = 14


class Durability(IntEnum):
    """How long samples are kept for those who come later."""

    VOLATILE = 0
    TRANSIENT = 1
    PERSISTENT = 2


DEFAULT_CONDUITS = 1
DEFAULT_NUMBER_BITS = 14
"""What holds when OPEN does not tell the property."""


class Quality(NamedTuple):
    """Quality of service of a resource, a publisher or a subscriber."""

    reliable: bool = True
    durability: Durability = Durability.VOLATILE


DEFAULT_QUALITY = Quality()
"""What holds where no property tells otherwise."""
_DURABILITIES = frozenset(Durability)


def read_properties(reader: Reader) -> Properties:
    """Properties, in their order."""
    found = []
    for _ in range(reader.count("the count of properties")):
        key = reader.low_bits("the id of a property", 64)
        value = reader.octets("the value of a property")
        if key < ID_LIMIT:
            found.append((key, value))
    return tuple(found)


def write_properties(out: bytearray, properties: Properties) -> None:
    """Append properties, of which there is one at least."""
    out += vle(len(properties))
    for key, value in properties:
        out += vle(key)
        out += vle(len(value))
        out += value


def property_value(properties: Properties, key: int) -> bytes | None:
    """The first value with that id."""
    return next((value for found, value in properties if found == key), None)


def property_number(properties: Properties, key: int, default: int) -> int | None:
    """The number that a property's value begins with; None when it is no number."""
    value = property_value(properties, key)
    if value is None:
        return default
    try:
        return Reader(value, 0).vle("the value")
    except UnreadableError:
        return None


def number_property(key: int, number: int) -> tuple[int, bytes]:
    """A property whose value is a number."""
    return key, vle(number)


def quality_of(properties: Properties, default: Quality = DEFAULT_QUALITY) -> Quality | None:
    """What the properties say about quality of service, the rest by default; None when a value is none of the known."""
    reliable = property_number(properties, PropertyId.RELIABILITY, int(default.reliable))
    durability = property_number(properties, PropertyId.DURABILITY, default.durability)
    if reliable not in (0, 1) or durability not in _DURABILITIES:
        return None
    return Quality(bool(reliable), Durability(durability))


def quality_properties(quality: Quality) -> Properties:
    """Properties that tell it, where it differs from the default."""
    found = []
    if not quality.reliable:
        found.append(number_property(PropertyId.RELIABILITY, 0))
    if quality.durability:
        found.append(number_property(PropertyId.DURABILITY, quality.durability))
    return tuple(found)
