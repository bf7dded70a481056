from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Event(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_UNSPECIFIED: _ClassVar[Event]
    EVENT_STARTED: _ClassVar[Event]
    EVENT_STOPPED: _ClassVar[Event]
    EVENT_COMPLETED: _ClassVar[Event]
    EVENT_PAUSED: _ClassVar[Event]

class ForwarderCondition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FORWARDER_CONDITION_UNSPECIFIED: _ClassVar[ForwarderCondition]
    FORWARDER_CONDITION_ENABLED: _ClassVar[ForwarderCondition]
    FORWARDER_CONDITION_SUSPENDED: _ClassVar[ForwarderCondition]
    FORWARDER_CONDITION_DISABLED: _ClassVar[ForwarderCondition]
    FORWARDER_CONDITION_PAUSED: _ClassVar[ForwarderCondition]
EVENT_UNSPECIFIED: Event
EVENT_STARTED: Event
EVENT_STOPPED: Event
EVENT_COMPLETED: Event
EVENT_PAUSED: Event
FORWARDER_CONDITION_UNSPECIFIED: ForwarderCondition
FORWARDER_CONDITION_ENABLED: ForwarderCondition
FORWARDER_CONDITION_SUSPENDED: ForwarderCondition
FORWARDER_CONDITION_DISABLED: ForwarderCondition
FORWARDER_CONDITION_PAUSED: ForwarderCondition

class ClientAnnounce(_message.Message):
    __slots__ = ("info_hash", "peer_id", "port", "ip", "uploaded", "downloaded", "left", "event", "numwant", "key")
    INFO_HASH_FIELD_NUMBER: _ClassVar[int]
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    UPLOADED_FIELD_NUMBER: _ClassVar[int]
    DOWNLOADED_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    NUMWANT_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    info_hash: bytes
    peer_id: bytes
    port: int
    ip: str
    uploaded: int
    downloaded: int
    left: int
    event: Event
    numwant: int
    key: bytes
    def __init__(self, info_hash: _Optional[bytes] = ..., peer_id: _Optional[bytes] = ..., port: _Optional[int] = ..., ip: _Optional[str] = ..., uploaded: _Optional[int] = ..., downloaded: _Optional[int] = ..., left: _Optional[int] = ..., event: _Optional[_Union[Event, str]] = ..., numwant: _Optional[int] = ..., key: _Optional[bytes] = ...) -> None: ...

class AnnounceRequest(_message.Message):
    __slots__ = ("announces",)
    ANNOUNCES_FIELD_NUMBER: _ClassVar[int]
    announces: _containers.RepeatedCompositeFieldContainer[ClientAnnounce]
    def __init__(self, announces: _Optional[_Iterable[_Union[ClientAnnounce, _Mapping]]] = ...) -> None: ...

class Peer(_message.Message):
    __slots__ = ("ip", "port", "peer_id")
    IP_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    ip: str
    port: int
    peer_id: bytes
    def __init__(self, ip: _Optional[str] = ..., port: _Optional[int] = ..., peer_id: _Optional[bytes] = ...) -> None: ...

class AnnounceAnswer(_message.Message):
    __slots__ = ("failure", "retry_after", "interval", "min_interval", "complete", "incomplete", "downloaded", "peers")
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    MIN_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    DOWNLOADED_FIELD_NUMBER: _ClassVar[int]
    PEERS_FIELD_NUMBER: _ClassVar[int]
    failure: str
    retry_after: float
    interval: int
    min_interval: int
    complete: int
    incomplete: int
    downloaded: int
    peers: _containers.RepeatedCompositeFieldContainer[Peer]
    def __init__(self, failure: _Optional[str] = ..., retry_after: _Optional[float] = ..., interval: _Optional[int] = ..., min_interval: _Optional[int] = ..., complete: _Optional[int] = ..., incomplete: _Optional[int] = ..., downloaded: _Optional[int] = ..., peers: _Optional[_Iterable[_Union[Peer, _Mapping]]] = ...) -> None: ...

class AnnounceResponse(_message.Message):
    __slots__ = ("answers",)
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[AnnounceAnswer]
    def __init__(self, answers: _Optional[_Iterable[_Union[AnnounceAnswer, _Mapping]]] = ...) -> None: ...

class ScrapeRequest(_message.Message):
    __slots__ = ("info_hashes",)
    INFO_HASHES_FIELD_NUMBER: _ClassVar[int]
    info_hashes: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, info_hashes: _Optional[_Iterable[bytes]] = ...) -> None: ...

class Swarm(_message.Message):
    __slots__ = ("info_hash", "complete", "incomplete", "downloaded", "downloaders")
    INFO_HASH_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    DOWNLOADED_FIELD_NUMBER: _ClassVar[int]
    DOWNLOADERS_FIELD_NUMBER: _ClassVar[int]
    info_hash: bytes
    complete: int
    incomplete: int
    downloaded: int
    downloaders: int
    def __init__(self, info_hash: _Optional[bytes] = ..., complete: _Optional[int] = ..., incomplete: _Optional[int] = ..., downloaded: _Optional[int] = ..., downloaders: _Optional[int] = ...) -> None: ...

class ScrapeResponse(_message.Message):
    __slots__ = ("swarms",)
    SWARMS_FIELD_NUMBER: _ClassVar[int]
    swarms: _containers.RepeatedCompositeFieldContainer[Swarm]
    def __init__(self, swarms: _Optional[_Iterable[_Union[Swarm, _Mapping]]] = ...) -> None: ...

class ListForwardersRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Forwarder(_message.Message):
    __slots__ = ("name", "tracker", "condition", "cause", "reason", "suspended_for", "failures", "mean_response", "answers", "last_interval", "since_last_answer")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TRACKER_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_FOR_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    MEAN_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    LAST_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    SINCE_LAST_ANSWER_FIELD_NUMBER: _ClassVar[int]
    name: str
    tracker: str
    condition: ForwarderCondition
    cause: str
    reason: str
    suspended_for: float
    failures: int
    mean_response: float
    answers: int
    last_interval: float
    since_last_answer: float
    def __init__(self, name: _Optional[str] = ..., tracker: _Optional[str] = ..., condition: _Optional[_Union[ForwarderCondition, str]] = ..., cause: _Optional[str] = ..., reason: _Optional[str] = ..., suspended_for: _Optional[float] = ..., failures: _Optional[int] = ..., mean_response: _Optional[float] = ..., answers: _Optional[int] = ..., last_interval: _Optional[float] = ..., since_last_answer: _Optional[float] = ...) -> None: ...

class ListForwardersResponse(_message.Message):
    __slots__ = ("forwarders",)
    FORWARDERS_FIELD_NUMBER: _ClassVar[int]
    forwarders: _containers.RepeatedCompositeFieldContainer[Forwarder]
    def __init__(self, forwarders: _Optional[_Iterable[_Union[Forwarder, _Mapping]]] = ...) -> None: ...

class EnableForwarderRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class EnableForwarderResponse(_message.Message):
    __slots__ = ("forwarder",)
    FORWARDER_FIELD_NUMBER: _ClassVar[int]
    forwarder: Forwarder
    def __init__(self, forwarder: _Optional[_Union[Forwarder, _Mapping]] = ...) -> None: ...

class GetQueueRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ScheduledJob(_message.Message):
    __slots__ = ("info_hash", "forwarder", "peer_id", "time_to_execution")
    INFO_HASH_FIELD_NUMBER: _ClassVar[int]
    FORWARDER_FIELD_NUMBER: _ClassVar[int]
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_TO_EXECUTION_FIELD_NUMBER: _ClassVar[int]
    info_hash: bytes
    forwarder: str
    peer_id: bytes
    time_to_execution: float
    def __init__(self, info_hash: _Optional[bytes] = ..., forwarder: _Optional[str] = ..., peer_id: _Optional[bytes] = ..., time_to_execution: _Optional[float] = ...) -> None: ...

class GetQueueResponse(_message.Message):
    __slots__ = ("depth", "capacity", "fill", "workers", "max_workers", "pending", "scheduled", "spilled", "next_scheduled", "dropped_full", "refused_full", "rate_limited", "throttled", "parked", "duplicates", "cancelled", "throttling", "peers", "swarms")
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    FILL_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    MAX_WORKERS_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    SCHEDULED_FIELD_NUMBER: _ClassVar[int]
    SPILLED_FIELD_NUMBER: _ClassVar[int]
    NEXT_SCHEDULED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FULL_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FULL_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMITED_FIELD_NUMBER: _ClassVar[int]
    THROTTLED_FIELD_NUMBER: _ClassVar[int]
    PARKED_FIELD_NUMBER: _ClassVar[int]
    DUPLICATES_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    THROTTLING_FIELD_NUMBER: _ClassVar[int]
    PEERS_FIELD_NUMBER: _ClassVar[int]
    SWARMS_FIELD_NUMBER: _ClassVar[int]
    depth: int
    capacity: int
    fill: float
    workers: int
    max_workers: int
    pending: int
    scheduled: int
    spilled: int
    next_scheduled: _containers.RepeatedCompositeFieldContainer[ScheduledJob]
    dropped_full: int
    refused_full: int
    rate_limited: int
    throttled: int
    parked: int
    duplicates: int
    cancelled: int
    throttling: bool
    peers: int
    swarms: int
    def __init__(self, depth: _Optional[int] = ..., capacity: _Optional[int] = ..., fill: _Optional[float] = ..., workers: _Optional[int] = ..., max_workers: _Optional[int] = ..., pending: _Optional[int] = ..., scheduled: _Optional[int] = ..., spilled: _Optional[int] = ..., next_scheduled: _Optional[_Iterable[_Union[ScheduledJob, _Mapping]]] = ..., dropped_full: _Optional[int] = ..., refused_full: _Optional[int] = ..., rate_limited: _Optional[int] = ..., throttled: _Optional[int] = ..., parked: _Optional[int] = ..., duplicates: _Optional[int] = ..., cancelled: _Optional[int] = ..., throttling: _Optional[bool] = ..., peers: _Optional[int] = ..., swarms: _Optional[int] = ...) -> None: ...

class ListSwarmsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSwarmsResponse(_message.Message):
    __slots__ = ("swarms", "next_page_token", "total")
    SWARMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    swarms: _containers.RepeatedCompositeFieldContainer[Swarm]
    next_page_token: str
    total: int
    def __init__(self, swarms: _Optional[_Iterable[_Union[Swarm, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total: _Optional[int] = ...) -> None: ...
