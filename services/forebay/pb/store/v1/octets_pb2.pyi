from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class PublishOctets(_message.Message):
    __slots__ = ("publisher", "first", "messages")
    PUBLISHER_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    publisher: str
    first: int
    messages: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, publisher: _Optional[str] = ..., first: _Optional[int] = ..., messages: _Optional[_Iterable[bytes]] = ...) -> None: ...
