from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ApplyRequest(_message.Message):
    __slots__ = ("revision", "document")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    document: bytes
    def __init__(self, revision: _Optional[int] = ..., document: _Optional[bytes] = ...) -> None: ...

class ApplyResponse(_message.Message):
    __slots__ = ("revision", "ignored", "results")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    IGNORED_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    ignored: bool
    results: _containers.RepeatedCompositeFieldContainer[ResourceResult]
    def __init__(self, revision: _Optional[int] = ..., ignored: _Optional[bool] = ..., results: _Optional[_Iterable[_Union[ResourceResult, _Mapping]]] = ...) -> None: ...

class ResourceResult(_message.Message):
    __slots__ = ("kind", "namespace", "name", "uid", "generation", "applied", "violations", "warnings")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    APPLIED_FIELD_NUMBER: _ClassVar[int]
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    kind: str
    namespace: str
    name: str
    uid: str
    generation: int
    applied: bool
    violations: _containers.RepeatedCompositeFieldContainer[FieldViolation]
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., generation: _Optional[int] = ..., applied: _Optional[bool] = ..., violations: _Optional[_Iterable[_Union[FieldViolation, _Mapping]]] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class FieldViolation(_message.Message):
    __slots__ = ("field", "description")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    field: str
    description: str
    def __init__(self, field: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class GetStatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStatusResponse(_message.Message):
    __slots__ = ("revision", "service", "version", "resources", "degradations", "ready")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SERVICE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    DEGRADATIONS_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    revision: int
    service: str
    version: str
    resources: _containers.RepeatedCompositeFieldContainer[ResourceResult]
    degradations: _containers.RepeatedCompositeFieldContainer[Degradation]
    ready: bool
    def __init__(self, revision: _Optional[int] = ..., service: _Optional[str] = ..., version: _Optional[str] = ..., resources: _Optional[_Iterable[_Union[ResourceResult, _Mapping]]] = ..., degradations: _Optional[_Iterable[_Union[Degradation, _Mapping]]] = ..., ready: _Optional[bool] = ...) -> None: ...

class Degradation(_message.Message):
    __slots__ = ("reason", "message", "kind", "name")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    reason: str
    message: str
    kind: str
    name: str
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ..., kind: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...
