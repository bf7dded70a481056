import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeathReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEATH_REASON_UNSPECIFIED: _ClassVar[DeathReason]
    DEATH_REASON_REJECTED: _ClassVar[DeathReason]
    DEATH_REASON_EXPIRED: _ClassVar[DeathReason]
    DEATH_REASON_MAXLEN: _ClassVar[DeathReason]
    DEATH_REASON_DELIVERY_LIMIT: _ClassVar[DeathReason]

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_CONFIRMED: _ClassVar[Outcome]
    OUTCOME_UNROUTED: _ClassVar[Outcome]
    OUTCOME_REFUSED: _ClassVar[Outcome]
    OUTCOME_DUPLICATE: _ClassVar[Outcome]

class Disposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DISPOSITION_UNSPECIFIED: _ClassVar[Disposition]
    DISPOSITION_ACK: _ClassVar[Disposition]
    DISPOSITION_REQUEUE: _ClassVar[Disposition]
    DISPOSITION_REJECT: _ClassVar[Disposition]

class QueueState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    QUEUE_STATE_UNSPECIFIED: _ClassVar[QueueState]
    QUEUE_STATE_RECOVERING: _ClassVar[QueueState]
    QUEUE_STATE_RUNNING: _ClassVar[QueueState]
    QUEUE_STATE_CRASHED: _ClassVar[QueueState]
DEATH_REASON_UNSPECIFIED: DeathReason
DEATH_REASON_REJECTED: DeathReason
DEATH_REASON_EXPIRED: DeathReason
DEATH_REASON_MAXLEN: DeathReason
DEATH_REASON_DELIVERY_LIMIT: DeathReason
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_CONFIRMED: Outcome
OUTCOME_UNROUTED: Outcome
OUTCOME_REFUSED: Outcome
OUTCOME_DUPLICATE: Outcome
DISPOSITION_UNSPECIFIED: Disposition
DISPOSITION_ACK: Disposition
DISPOSITION_REQUEUE: Disposition
DISPOSITION_REJECT: Disposition
QUEUE_STATE_UNSPECIFIED: QueueState
QUEUE_STATE_RECOVERING: QueueState
QUEUE_STATE_RUNNING: QueueState
QUEUE_STATE_CRASHED: QueueState

class Message(_message.Message):
    __slots__ = ("address", "body", "headers", "ttl_ms", "priority", "transient", "taken_ms", "deaths", "publisher", "number")
    class HeadersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    TTL_MS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    TRANSIENT_FIELD_NUMBER: _ClassVar[int]
    TAKEN_MS_FIELD_NUMBER: _ClassVar[int]
    DEATHS_FIELD_NUMBER: _ClassVar[int]
    PUBLISHER_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    address: str
    body: bytes
    headers: _containers.ScalarMap[str, str]
    ttl_ms: int
    priority: int
    transient: bool
    taken_ms: int
    deaths: _containers.RepeatedCompositeFieldContainer[Death]
    publisher: str
    number: int
    def __init__(self, address: _Optional[str] = ..., body: _Optional[bytes] = ..., headers: _Optional[_Mapping[str, str]] = ..., ttl_ms: _Optional[int] = ..., priority: _Optional[int] = ..., transient: _Optional[bool] = ..., taken_ms: _Optional[int] = ..., deaths: _Optional[_Iterable[_Union[Death, _Mapping]]] = ..., publisher: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class Death(_message.Message):
    __slots__ = ("queue", "reason", "count", "first_ms", "last_ms", "address", "original_ttl_ms")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FIRST_MS_FIELD_NUMBER: _ClassVar[int]
    LAST_MS_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_TTL_MS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    reason: DeathReason
    count: int
    first_ms: int
    last_ms: int
    address: str
    original_ttl_ms: int
    def __init__(self, queue: _Optional[str] = ..., reason: _Optional[_Union[DeathReason, str]] = ..., count: _Optional[int] = ..., first_ms: _Optional[int] = ..., last_ms: _Optional[int] = ..., address: _Optional[str] = ..., original_ttl_ms: _Optional[int] = ...) -> None: ...

class PublishRequest(_message.Message):
    __slots__ = ("publisher", "first", "messages")
    PUBLISHER_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    publisher: str
    first: int
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    def __init__(self, publisher: _Optional[str] = ..., first: _Optional[int] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ...) -> None: ...

class PublishResponse(_message.Message):
    __slots__ = ("confirms", "blocked")
    CONFIRMS_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    confirms: _containers.RepeatedCompositeFieldContainer[Confirm]
    blocked: str
    def __init__(self, confirms: _Optional[_Iterable[_Union[Confirm, _Mapping]]] = ..., blocked: _Optional[str] = ...) -> None: ...

class Confirm(_message.Message):
    __slots__ = ("first", "count", "outcome", "reason")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    first: int
    count: int
    outcome: Outcome
    reason: str
    def __init__(self, first: _Optional[int] = ..., count: _Optional[int] = ..., outcome: _Optional[_Union[Outcome, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class ConsumeRequest(_message.Message):
    __slots__ = ("start", "credit", "settlements")
    START_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    SETTLEMENTS_FIELD_NUMBER: _ClassVar[int]
    start: ConsumeStart
    credit: int
    settlements: _containers.RepeatedCompositeFieldContainer[Settlement]
    def __init__(self, start: _Optional[_Union[ConsumeStart, _Mapping]] = ..., credit: _Optional[int] = ..., settlements: _Optional[_Iterable[_Union[Settlement, _Mapping]]] = ...) -> None: ...

class ConsumeStart(_message.Message):
    __slots__ = ("queue", "consumer", "prefetch", "exclusive", "no_ack", "priority", "credit")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_FIELD_NUMBER: _ClassVar[int]
    PREFETCH_FIELD_NUMBER: _ClassVar[int]
    EXCLUSIVE_FIELD_NUMBER: _ClassVar[int]
    NO_ACK_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    consumer: str
    prefetch: int
    exclusive: bool
    no_ack: bool
    priority: int
    credit: int
    def __init__(self, queue: _Optional[str] = ..., consumer: _Optional[str] = ..., prefetch: _Optional[int] = ..., exclusive: _Optional[bool] = ..., no_ack: _Optional[bool] = ..., priority: _Optional[int] = ..., credit: _Optional[int] = ...) -> None: ...

class Settlement(_message.Message):
    __slots__ = ("first", "count", "disposition")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    first: int
    count: int
    disposition: Disposition
    def __init__(self, first: _Optional[int] = ..., count: _Optional[int] = ..., disposition: _Optional[_Union[Disposition, str]] = ...) -> None: ...

class ConsumeResponse(_message.Message):
    __slots__ = ("deliveries", "settled", "active")
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[Delivery]
    settled: _containers.RepeatedCompositeFieldContainer[Settled]
    active: bool
    def __init__(self, deliveries: _Optional[_Iterable[_Union[Delivery, _Mapping]]] = ..., settled: _Optional[_Iterable[_Union[Settled, _Mapping]]] = ..., active: _Optional[bool] = ...) -> None: ...

class Settled(_message.Message):
    __slots__ = ("first", "count")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    first: int
    count: int
    def __init__(self, first: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class Delivery(_message.Message):
    __slots__ = ("number", "deliveries", "position", "message")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    number: int
    deliveries: int
    position: int
    message: Message
    def __init__(self, number: _Optional[int] = ..., deliveries: _Optional[int] = ..., position: _Optional[int] = ..., message: _Optional[_Union[Message, _Mapping]] = ...) -> None: ...

class GetRequest(_message.Message):
    __slots__ = ("queue", "count")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    count: int
    def __init__(self, queue: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class GetResponse(_message.Message):
    __slots__ = ("deliveries", "left")
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[Delivery]
    left: int
    def __init__(self, deliveries: _Optional[_Iterable[_Union[Delivery, _Mapping]]] = ..., left: _Optional[int] = ...) -> None: ...

class BrowseRequest(_message.Message):
    __slots__ = ("queue", "position", "count")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    queue: str
    position: int
    count: int
    def __init__(self, queue: _Optional[str] = ..., position: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class BrowseResponse(_message.Message):
    __slots__ = ("deliveries", "next")
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[Delivery]
    next: int
    def __init__(self, deliveries: _Optional[_Iterable[_Union[Delivery, _Mapping]]] = ..., next: _Optional[int] = ...) -> None: ...

class PurgeRequest(_message.Message):
    __slots__ = ("queue",)
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    def __init__(self, queue: _Optional[str] = ...) -> None: ...

class PurgeResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: int
    def __init__(self, removed: _Optional[int] = ...) -> None: ...

class ListQueuesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListQueuesResponse(_message.Message):
    __slots__ = ("queues",)
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    queues: _containers.RepeatedCompositeFieldContainer[QueueStatus]
    def __init__(self, queues: _Optional[_Iterable[_Union[QueueStatus, _Mapping]]] = ...) -> None: ...

class GetQueueRequest(_message.Message):
    __slots__ = ("queue",)
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    def __init__(self, queue: _Optional[str] = ...) -> None: ...

class GetQueueResponse(_message.Message):
    __slots__ = ("status", "insides", "consumers")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    INSIDES_FIELD_NUMBER: _ClassVar[int]
    CONSUMERS_FIELD_NUMBER: _ClassVar[int]
    status: QueueStatus
    insides: _containers.RepeatedCompositeFieldContainer[QueueInsides]
    consumers: _containers.RepeatedCompositeFieldContainer[ConsumerStatus]
    def __init__(self, status: _Optional[_Union[QueueStatus, _Mapping]] = ..., insides: _Optional[_Iterable[_Union[QueueInsides, _Mapping]]] = ..., consumers: _Optional[_Iterable[_Union[ConsumerStatus, _Mapping]]] = ...) -> None: ...

class QueueStatus(_message.Message):
    __slots__ = ("name", "uid", "state", "reason", "ready", "unacked", "ready_bytes", "unacked_bytes", "consumers", "consumer_capacity", "head_time", "counters", "durable")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    UNACKED_FIELD_NUMBER: _ClassVar[int]
    READY_BYTES_FIELD_NUMBER: _ClassVar[int]
    UNACKED_BYTES_FIELD_NUMBER: _ClassVar[int]
    CONSUMERS_FIELD_NUMBER: _ClassVar[int]
    CONSUMER_CAPACITY_FIELD_NUMBER: _ClassVar[int]
    HEAD_TIME_FIELD_NUMBER: _ClassVar[int]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    DURABLE_FIELD_NUMBER: _ClassVar[int]
    name: str
    uid: str
    state: QueueState
    reason: str
    ready: int
    unacked: int
    ready_bytes: int
    unacked_bytes: int
    consumers: int
    consumer_capacity: float
    head_time: _timestamp_pb2.Timestamp
    counters: QueueCounters
    durable: bool
    def __init__(self, name: _Optional[str] = ..., uid: _Optional[str] = ..., state: _Optional[_Union[QueueState, str]] = ..., reason: _Optional[str] = ..., ready: _Optional[int] = ..., unacked: _Optional[int] = ..., ready_bytes: _Optional[int] = ..., unacked_bytes: _Optional[int] = ..., consumers: _Optional[int] = ..., consumer_capacity: _Optional[float] = ..., head_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., counters: _Optional[_Union[QueueCounters, _Mapping]] = ..., durable: _Optional[bool] = ...) -> None: ...

class QueueCounters(_message.Message):
    __slots__ = ("published", "delivered", "redelivered", "acked", "requeued", "rejected", "expired", "dropped", "refused", "delivery_limited", "duplicates", "dead_lettered", "purged")
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    REDELIVERED_FIELD_NUMBER: _ClassVar[int]
    ACKED_FIELD_NUMBER: _ClassVar[int]
    REQUEUED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    EXPIRED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_LIMITED_FIELD_NUMBER: _ClassVar[int]
    DUPLICATES_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTERED_FIELD_NUMBER: _ClassVar[int]
    PURGED_FIELD_NUMBER: _ClassVar[int]
    published: int
    delivered: int
    redelivered: int
    acked: int
    requeued: int
    rejected: int
    expired: int
    dropped: int
    refused: int
    delivery_limited: int
    duplicates: int
    dead_lettered: int
    purged: int
    def __init__(self, published: _Optional[int] = ..., delivered: _Optional[int] = ..., redelivered: _Optional[int] = ..., acked: _Optional[int] = ..., requeued: _Optional[int] = ..., rejected: _Optional[int] = ..., expired: _Optional[int] = ..., dropped: _Optional[int] = ..., refused: _Optional[int] = ..., delivery_limited: _Optional[int] = ..., duplicates: _Optional[int] = ..., dead_lettered: _Optional[int] = ..., purged: _Optional[int] = ...) -> None: ...

class QueueInsides(_message.Message):
    __slots__ = ("priority", "q1", "q2", "delta", "q3", "q4", "next_seq", "target_ram_count", "ram_count", "ram_bytes", "ingress_rate", "egress_rate", "ack_ingress_rate", "ack_egress_rate")
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    Q1_FIELD_NUMBER: _ClassVar[int]
    Q2_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    Q3_FIELD_NUMBER: _ClassVar[int]
    Q4_FIELD_NUMBER: _ClassVar[int]
    NEXT_SEQ_FIELD_NUMBER: _ClassVar[int]
    TARGET_RAM_COUNT_FIELD_NUMBER: _ClassVar[int]
    RAM_COUNT_FIELD_NUMBER: _ClassVar[int]
    RAM_BYTES_FIELD_NUMBER: _ClassVar[int]
    INGRESS_RATE_FIELD_NUMBER: _ClassVar[int]
    EGRESS_RATE_FIELD_NUMBER: _ClassVar[int]
    ACK_INGRESS_RATE_FIELD_NUMBER: _ClassVar[int]
    ACK_EGRESS_RATE_FIELD_NUMBER: _ClassVar[int]
    priority: int
    q1: int
    q2: int
    delta: int
    q3: int
    q4: int
    next_seq: int
    target_ram_count: int
    ram_count: int
    ram_bytes: int
    ingress_rate: float
    egress_rate: float
    ack_ingress_rate: float
    ack_egress_rate: float
    def __init__(self, priority: _Optional[int] = ..., q1: _Optional[int] = ..., q2: _Optional[int] = ..., delta: _Optional[int] = ..., q3: _Optional[int] = ..., q4: _Optional[int] = ..., next_seq: _Optional[int] = ..., target_ram_count: _Optional[int] = ..., ram_count: _Optional[int] = ..., ram_bytes: _Optional[int] = ..., ingress_rate: _Optional[float] = ..., egress_rate: _Optional[float] = ..., ack_ingress_rate: _Optional[float] = ..., ack_egress_rate: _Optional[float] = ...) -> None: ...

class ConsumerStatus(_message.Message):
    __slots__ = ("name", "peer", "unacked", "prefetch", "credit", "active", "exclusive", "priority")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PEER_FIELD_NUMBER: _ClassVar[int]
    UNACKED_FIELD_NUMBER: _ClassVar[int]
    PREFETCH_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    EXCLUSIVE_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    name: str
    peer: str
    unacked: int
    prefetch: int
    credit: int
    active: bool
    exclusive: bool
    priority: int
    def __init__(self, name: _Optional[str] = ..., peer: _Optional[str] = ..., unacked: _Optional[int] = ..., prefetch: _Optional[int] = ..., credit: _Optional[int] = ..., active: _Optional[bool] = ..., exclusive: _Optional[bool] = ..., priority: _Optional[int] = ...) -> None: ...

class GetStoreRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStoreResponse(_message.Message):
    __slots__ = ("alarms", "messages", "live_bytes", "garbage_bytes", "disk_free", "memory_bytes", "members")
    ALARMS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    LIVE_BYTES_FIELD_NUMBER: _ClassVar[int]
    GARBAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    DISK_FREE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    alarms: _containers.RepeatedCompositeFieldContainer[Alarm]
    messages: int
    live_bytes: int
    garbage_bytes: int
    disk_free: int
    memory_bytes: int
    members: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, alarms: _Optional[_Iterable[_Union[Alarm, _Mapping]]] = ..., messages: _Optional[int] = ..., live_bytes: _Optional[int] = ..., garbage_bytes: _Optional[int] = ..., disk_free: _Optional[int] = ..., memory_bytes: _Optional[int] = ..., members: _Optional[_Iterable[str]] = ...) -> None: ...

class Alarm(_message.Message):
    __slots__ = ("kind", "message", "since", "age")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    kind: str
    message: str
    since: _timestamp_pb2.Timestamp
    age: _duration_pb2.Duration
    def __init__(self, kind: _Optional[str] = ..., message: _Optional[str] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
