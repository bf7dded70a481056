"""Messages as threads see them, and as they travel."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias, cast

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.errors import FieldTypeError
from forebay.router.core.flags import Flag
from forebay.runtime.protowire import VARINT, opening, tag, varint

FieldValue: TypeAlias = int | float | str | bytes | bool
"""What a field of a message can be; whole numbers have 64 bits."""
Fields: TypeAlias = Mapping[str, FieldValue]

_LEAST, _MOST = -(2**63), 2**63 - 1
_NAME, _BODY, _CORRELATION, _MESSAGES = 1, 2, 4, 1
"""Numbers of the fields on the wire."""


class Marker(NamedTuple):
    """Marks one message among all."""

    sender: str
    """The thread that sent it, as `name@domain`."""
    incarnation: int
    """Number that this thread chose when it began to send to the recipient."""
    sequence: int
    """Number of the message among those."""

    def __str__(self) -> str:
        return f"{self.sender}#{self.incarnation:x}.{self.sequence}"


class Head(NamedTuple):
    """What messages of one parcel have in common."""

    sender: str
    recipient: str
    incarnation: int
    ttl: int
    flags: int


class Message:
    """A message that a thread has received."""

    __slots__ = ("_fields", "body", "correlation", "head", "name", "sequence")

    def __init__(
        self,
        head: Head,
        sequence: int,
        name: str,
        body: bytes,
        fields: Fields | Mapping[str, pb.Value] | None = None,
        correlation: int = 0,
    ) -> None:
        """`fields` may still be as they travelled; they are read when they are asked for."""
        self.head = head
        self.sequence = sequence
        self.name = name
        """What it is about."""
        self.body = body
        """What it says."""
        self._fields = fields
        self.correlation = correlation
        """Of a request and of its reply: the number that belongs to both."""

    @property
    def sender(self) -> str:
        """The thread that sent it, as `name@domain`."""
        return self.head.sender

    @property
    def recipient(self) -> str:
        """The thread, or the group, that it was sent to, as `name@domain`."""
        return self.head.recipient

    @property
    def ttl(self) -> int:
        """Routers that it could still have passed."""
        return self.head.ttl

    @property
    def flags(self) -> Flag:
        """What it was allowed and asked to do."""
        return Flag(self.head.flags)

    @property
    def marker(self) -> Marker:
        """Marks this message among all."""
        return Marker(self.head.sender, self.head.incarnation, self.sequence)

    @property
    def fields(self) -> Fields:
        """What it says, by name."""
        fields = self._fields
        if not fields:
            return {}
        if not isinstance(fields, dict):
            fields = self._fields = {name: _read_value(value) for name, value in fields.items()}
        return cast("Fields", fields)

    def __repr__(self) -> str:
        return f"<Message {self.name} from {self.sender} to {self.recipient}, {len(self.body)} octets>"


def _read_value(value: Any) -> FieldValue:
    kind = value.WhichOneof("kind")
    # A kind that a newer sender knows, and we do not, shows as none.
    read: FieldValue = getattr(value, kind) if kind else ""
    return read


def check_fields(fields: Fields) -> dict[str, FieldValue]:
    """A copy of fields. Raises `FieldTypeError` for a value that does not travel."""
    for name, value in fields.items():
        fits = _LEAST <= value <= _MOST if isinstance(value, int) else isinstance(value, float | str | bytes)
        if not fits:
            raise FieldTypeError(name, value)
    return dict(fields)


def _put_value(field: pb.Value, value: FieldValue) -> None:
    if isinstance(value, bool):
        field.truth = value
    elif isinstance(value, int):
        field.integer = value
    elif isinstance(value, float):
        field.real = value
    elif isinstance(value, str):
        field.text = value
    else:
        field.octets = value


@lru_cache(maxsize=16_384)
def plain_opening(name: str, length: int, more: int = 0) -> bytes:
    """What stands, in `Messages`, before the body of a message with a name and a body of so many octets, and no fields.

    more: octets that come behind the body.
    """
    text = name.encode()
    head = opening(_NAME, len(text)) + text + opening(_BODY, length)
    return opening(_MESSAGES, len(head) + length + more) + head


def plain(name: str, body: bytes, correlation: int) -> tuple[bytes, bytes, bytes]:
    """A request or a reply without fields, in `Messages`, in pieces."""
    end = tag(_CORRELATION, VARINT) + varint(correlation)
    return plain_opening(name, len(body), len(end)), body, end


def encode(name: str, body: bytes, fields: Fields, correlation: int = 0) -> bytes:
    """A message with fields, in `Messages`."""
    message = pb.Message(name=name, body=body, correlation=correlation)
    for key, value in fields.items():
        _put_value(message.fields[key], value)
    octets = message.SerializeToString()
    return opening(_MESSAGES, len(octets)) + octets


def decode(parcel: pb.Parcel, skip: int = 0) -> list[Message]:
    """The messages of a parcel without the first few. Raises `DecodeError` when they are not what the head says."""
    head = Head(parcel.sender, parcel.recipient, parcel.incarnation, parcel.ttl, parcel.flags)
    contents: Sequence[pb.Message] | Iterable[pb.Message] = pb.Messages.FromString(parcel.messages).messages
    if skip:
        contents = list(contents)[skip:]
    return [
        Message(head, sequence, content.name, content.body, content.fields, content.correlation)
        for sequence, content in enumerate(contents, parcel.first + skip)
    ]
