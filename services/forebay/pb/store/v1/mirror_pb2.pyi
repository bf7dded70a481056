from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FollowRequest(_message.Message):
    __slots__ = ("begin", "contents", "changes", "step", "complete")
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    begin: FollowBegin
    contents: _containers.RepeatedCompositeFieldContainer[MirrorContent]
    changes: _containers.RepeatedCompositeFieldContainer[QueueChange]
    step: int
    complete: bool
    def __init__(self, begin: _Optional[_Union[FollowBegin, _Mapping]] = ..., contents: _Optional[_Iterable[_Union[MirrorContent, _Mapping]]] = ..., changes: _Optional[_Iterable[_Union[QueueChange, _Mapping]]] = ..., step: _Optional[int] = ..., complete: _Optional[bool] = ...) -> None: ...

class FollowBegin(_message.Message):
    __slots__ = ("epoch", "primary", "relaxed")
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    PRIMARY_FIELD_NUMBER: _ClassVar[int]
    RELAXED_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    primary: str
    relaxed: bool
    def __init__(self, epoch: _Optional[int] = ..., primary: _Optional[str] = ..., relaxed: _Optional[bool] = ...) -> None: ...

class FollowResponse(_message.Message):
    __slots__ = ("step",)
    STEP_FIELD_NUMBER: _ClassVar[int]
    step: int
    def __init__(self, step: _Optional[int] = ...) -> None: ...

class MirrorContent(_message.Message):
    __slots__ = ("id", "data")
    ID_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    id: bytes
    data: bytes
    def __init__(self, id: _Optional[bytes] = ..., data: _Optional[bytes] = ...) -> None: ...

class QueueChange(_message.Message):
    __slots__ = ("uid", "level", "published", "acknowledged", "delivered", "marked", "removed", "opened")
    UID_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGED_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    MARKED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    OPENED_FIELD_NUMBER: _ClassVar[int]
    uid: str
    level: int
    published: MirrorEntries
    acknowledged: MirrorAcknowledged
    delivered: MirrorDelivered
    marked: MirrorMark
    removed: MirrorRemoved
    opened: MirrorOpened
    def __init__(self, uid: _Optional[str] = ..., level: _Optional[int] = ..., published: _Optional[_Union[MirrorEntries, _Mapping]] = ..., acknowledged: _Optional[_Union[MirrorAcknowledged, _Mapping]] = ..., delivered: _Optional[_Union[MirrorDelivered, _Mapping]] = ..., marked: _Optional[_Union[MirrorMark, _Mapping]] = ..., removed: _Optional[_Union[MirrorRemoved, _Mapping]] = ..., opened: _Optional[_Union[MirrorOpened, _Mapping]] = ...) -> None: ...

class MirrorOpened(_message.Message):
    __slots__ = ("next",)
    NEXT_FIELD_NUMBER: _ClassVar[int]
    next: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, next: _Optional[_Iterable[int]] = ...) -> None: ...

class MirrorEntries(_message.Message):
    __slots__ = ("first", "ids", "sizes", "expiries", "bodies", "deliveries")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    SIZES_FIELD_NUMBER: _ClassVar[int]
    EXPIRIES_FIELD_NUMBER: _ClassVar[int]
    BODIES_FIELD_NUMBER: _ClassVar[int]
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    first: int
    ids: bytes
    sizes: _containers.RepeatedScalarFieldContainer[int]
    expiries: _containers.RepeatedScalarFieldContainer[int]
    bodies: _containers.RepeatedScalarFieldContainer[bytes]
    deliveries: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, first: _Optional[int] = ..., ids: _Optional[bytes] = ..., sizes: _Optional[_Iterable[int]] = ..., expiries: _Optional[_Iterable[int]] = ..., bodies: _Optional[_Iterable[bytes]] = ..., deliveries: _Optional[_Iterable[int]] = ...) -> None: ...

class MirrorAcknowledged(_message.Message):
    __slots__ = ("first", "count", "stored")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    STORED_FIELD_NUMBER: _ClassVar[int]
    first: int
    count: int
    stored: bytes
    def __init__(self, first: _Optional[int] = ..., count: _Optional[int] = ..., stored: _Optional[bytes] = ...) -> None: ...

class MirrorDelivered(_message.Message):
    __slots__ = ("first", "count", "deliveries")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    first: int
    count: int
    deliveries: int
    def __init__(self, first: _Optional[int] = ..., count: _Optional[int] = ..., deliveries: _Optional[int] = ...) -> None: ...

class MirrorMark(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: bytes
    value: int
    def __init__(self, name: _Optional[bytes] = ..., value: _Optional[int] = ...) -> None: ...

class MirrorRemoved(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
