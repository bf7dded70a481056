"""Protobuf messages as plain values for JSON: numbers stay numbers, and enumerations have short names."""

from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

Field = Any
"""The descriptor of a field: its class differs between implementations of protobuf."""


def plain(message: Message) -> dict[str, Any]:
    """All fields by name; those that may be left out and are, are None.

    Durations are in seconds, times in UTC as `2026-01-31T12:00:00Z`.
    """
    return {field.name: _value(message, field) for field in message.DESCRIPTOR.fields}


def short_name(field: Field, number: int) -> str:
    """A value of an enumeration without the prefix that all its values have: `connected`, `no_peer`."""
    values = field.enum_type.values_by_number
    prefix = values[0].name.removesuffix("UNSPECIFIED")
    return values[number].name.removeprefix(prefix).lower() if number in values else str(number)


def _value(message: Message, field: Field) -> Any:
    value = getattr(message, field.name)
    if field.is_repeated:
        return [_single(field, item) for item in value]
    if field.message_type and not message.HasField(field.name):
        return None
    return _single(field, value)


def _single(field: Field, value: Any) -> Any:
    if isinstance(value, Duration):
        return value.ToMilliseconds() / 1000
    if isinstance(value, Timestamp):
        return value.ToJsonString()
    if field.message_type:
        return plain(value)
    return short_name(field, value) if field.enum_type else value
