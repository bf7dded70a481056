"""Quality of service as declarations tell it: a property that is absent says nothing, and contradicts nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebay.conduit.core.wire.properties import (
    Durability,
    PropertyId,
    number_property,
    property_value,
    quality_of,
)

if TYPE_CHECKING:
    from forebay.conduit.core.wire.messages import Properties


class Told(NamedTuple):
    """What was told about the quality of a resource, a publisher or a subscriber; None: nothing."""

    reliable: bool | None = None
    durability: Durability | None = None


NOTHING = Told()


def told_by(properties: Properties) -> Told | None:
    """What properties tell; None when one of them has a value that is none of the known."""
    quality = quality_of(properties)
    if quality is None:
        return None
    return Told(
        None if property_value(properties, PropertyId.RELIABILITY) is None else quality.reliable,
        None if property_value(properties, PropertyId.DURABILITY) is None else quality.durability,
    )


def properties_of(told: Told) -> Properties:
    """Properties that tell it."""
    found = []
    if told.reliable is not None:
        found.append(number_property(PropertyId.RELIABILITY, int(told.reliable)))
    if told.durability is not None:
        found.append(number_property(PropertyId.DURABILITY, told.durability))
    return tuple(found)


def contradict(first: Told, second: Told) -> bool:
    """Whether both tell one thing, and differ in it."""
    return any(one is not None and other is not None and one != other for one, other in zip(first, second, strict=True))


def together(first: Told, second: Told) -> Told:
    """What both tell; where they differ, what the first tells."""
    return Told(
        second.reliable if first.reliable is None else first.reliable,
        second.durability if first.durability is None else first.durability,
    )
