import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Flag(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FLAG_UNSPECIFIED: _ClassVar[Flag]
    FLAG_OUT_OF_ORDER_OK: _ClassVar[Flag]
    FLAG_DROP_OK: _ClassVar[Flag]
    FLAG_NOTIFY_DROP: _ClassVar[Flag]
    FLAG_URGENT: _ClassVar[Flag]
    FLAG_MULTICAST: _ClassVar[Flag]
    FLAG_REQUEST: _ClassVar[Flag]
    FLAG_REPLY: _ClassVar[Flag]

class SignalKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIGNAL_KIND_UNSPECIFIED: _ClassVar[SignalKind]
    SIGNAL_KIND_XOFF: _ClassVar[SignalKind]
    SIGNAL_KIND_NTF_XON: _ClassVar[SignalKind]
    SIGNAL_KIND_XON: _ClassVar[SignalKind]

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_RECEIVED: _ClassVar[Outcome]
    OUTCOME_GAP: _ClassVar[Outcome]
    OUTCOME_NO_RECIPIENT: _ClassVar[Outcome]
    OUTCOME_NO_NETWORK: _ClassVar[Outcome]
    OUTCOME_SHUTDOWN: _ClassVar[Outcome]
    OUTCOME_TTL: _ClassVar[Outcome]

class RegistrationState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REGISTRATION_STATE_UNSPECIFIED: _ClassVar[RegistrationState]
    REGISTRATION_STATE_REGISTERED: _ClassVar[RegistrationState]
    REGISTRATION_STATE_TAKEN: _ClassVar[RegistrationState]
    REGISTRATION_STATE_INVALID: _ClassVar[RegistrationState]
    REGISTRATION_STATE_DENIED: _ClassVar[RegistrationState]
    REGISTRATION_STATE_FULL: _ClassVar[RegistrationState]

class Severity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEVERITY_UNSPECIFIED: _ClassVar[Severity]
    SEVERITY_NOTICE: _ClassVar[Severity]
    SEVERITY_WARNING: _ClassVar[Severity]
    SEVERITY_ERROR: _ClassVar[Severity]
FLAG_UNSPECIFIED: Flag
FLAG_OUT_OF_ORDER_OK: Flag
FLAG_DROP_OK: Flag
FLAG_NOTIFY_DROP: Flag
FLAG_URGENT: Flag
FLAG_MULTICAST: Flag
FLAG_REQUEST: Flag
FLAG_REPLY: Flag
SIGNAL_KIND_UNSPECIFIED: SignalKind
SIGNAL_KIND_XOFF: SignalKind
SIGNAL_KIND_NTF_XON: SignalKind
SIGNAL_KIND_XON: SignalKind
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_RECEIVED: Outcome
OUTCOME_GAP: Outcome
OUTCOME_NO_RECIPIENT: Outcome
OUTCOME_NO_NETWORK: Outcome
OUTCOME_SHUTDOWN: Outcome
OUTCOME_TTL: Outcome
REGISTRATION_STATE_UNSPECIFIED: RegistrationState
REGISTRATION_STATE_REGISTERED: RegistrationState
REGISTRATION_STATE_TAKEN: RegistrationState
REGISTRATION_STATE_INVALID: RegistrationState
REGISTRATION_STATE_DENIED: RegistrationState
REGISTRATION_STATE_FULL: RegistrationState
SEVERITY_UNSPECIFIED: Severity
SEVERITY_NOTICE: Severity
SEVERITY_WARNING: Severity
SEVERITY_ERROR: Severity

class Value(_message.Message):
    __slots__ = ("integer", "real", "text", "octets", "truth")
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    REAL_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OCTETS_FIELD_NUMBER: _ClassVar[int]
    TRUTH_FIELD_NUMBER: _ClassVar[int]
    integer: int
    real: float
    text: str
    octets: bytes
    truth: bool
    def __init__(self, integer: _Optional[int] = ..., real: _Optional[float] = ..., text: _Optional[str] = ..., octets: _Optional[bytes] = ..., truth: _Optional[bool] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("name", "body", "fields", "correlation")
    class FieldsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Value, _Mapping]] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    CORRELATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    body: bytes
    fields: _containers.MessageMap[str, Value]
    correlation: int
    def __init__(self, name: _Optional[str] = ..., body: _Optional[bytes] = ..., fields: _Optional[_Mapping[str, Value]] = ..., correlation: _Optional[int] = ...) -> None: ...

class Messages(_message.Message):
    __slots__ = ("messages",)
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    def __init__(self, messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ...) -> None: ...

class Parcel(_message.Message):
    __slots__ = ("sender", "recipient", "incarnation", "first", "count", "floor", "ttl", "flags", "messages")
    SENDER_FIELD_NUMBER: _ClassVar[int]
    RECIPIENT_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FLOOR_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    FLAGS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    sender: str
    recipient: str
    incarnation: int
    first: int
    count: int
    floor: int
    ttl: int
    flags: int
    messages: bytes
    def __init__(self, sender: _Optional[str] = ..., recipient: _Optional[str] = ..., incarnation: _Optional[int] = ..., first: _Optional[int] = ..., count: _Optional[int] = ..., floor: _Optional[int] = ..., ttl: _Optional[int] = ..., flags: _Optional[int] = ..., messages: _Optional[bytes] = ...) -> None: ...

class Signal(_message.Message):
    __slots__ = ("sender", "recipient", "kind", "ttl")
    SENDER_FIELD_NUMBER: _ClassVar[int]
    RECIPIENT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    sender: str
    recipient: str
    kind: SignalKind
    ttl: int
    def __init__(self, sender: _Optional[str] = ..., recipient: _Optional[str] = ..., kind: _Optional[_Union[SignalKind, str]] = ..., ttl: _Optional[int] = ...) -> None: ...

class Receipt(_message.Message):
    __slots__ = ("sender", "recipient", "incarnation", "first", "count", "outcome", "flags", "extra", "ttl")
    SENDER_FIELD_NUMBER: _ClassVar[int]
    RECIPIENT_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    FLAGS_FIELD_NUMBER: _ClassVar[int]
    EXTRA_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    sender: str
    recipient: str
    incarnation: int
    first: int
    count: int
    outcome: Outcome
    flags: int
    extra: str
    ttl: int
    def __init__(self, sender: _Optional[str] = ..., recipient: _Optional[str] = ..., incarnation: _Optional[int] = ..., first: _Optional[int] = ..., count: _Optional[int] = ..., outcome: _Optional[_Union[Outcome, str]] = ..., flags: _Optional[int] = ..., extra: _Optional[str] = ..., ttl: _Optional[int] = ...) -> None: ...

class Obituary(_message.Message):
    __slots__ = ("id", "process", "threads", "reason")
    ID_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    id: str
    process: str
    threads: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    def __init__(self, id: _Optional[str] = ..., process: _Optional[str] = ..., threads: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ...) -> None: ...

class Freight(_message.Message):
    __slots__ = ("parcels", "signals", "receipts", "obituaries")
    PARCELS_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_FIELD_NUMBER: _ClassVar[int]
    RECEIPTS_FIELD_NUMBER: _ClassVar[int]
    OBITUARIES_FIELD_NUMBER: _ClassVar[int]
    parcels: _containers.RepeatedCompositeFieldContainer[Parcel]
    signals: _containers.RepeatedCompositeFieldContainer[Signal]
    receipts: _containers.RepeatedCompositeFieldContainer[Receipt]
    obituaries: _containers.RepeatedCompositeFieldContainer[Obituary]
    def __init__(self, parcels: _Optional[_Iterable[_Union[Parcel, _Mapping]]] = ..., signals: _Optional[_Iterable[_Union[Signal, _Mapping]]] = ..., receipts: _Optional[_Iterable[_Union[Receipt, _Mapping]]] = ..., obituaries: _Optional[_Iterable[_Union[Obituary, _Mapping]]] = ...) -> None: ...

class AttachRequest(_message.Message):
    __slots__ = ("hello", "births", "memberships", "freight", "alarms", "deaths", "leaving")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    BIRTHS_FIELD_NUMBER: _ClassVar[int]
    MEMBERSHIPS_FIELD_NUMBER: _ClassVar[int]
    FREIGHT_FIELD_NUMBER: _ClassVar[int]
    ALARMS_FIELD_NUMBER: _ClassVar[int]
    DEATHS_FIELD_NUMBER: _ClassVar[int]
    LEAVING_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    births: _containers.RepeatedCompositeFieldContainer[Birth]
    memberships: _containers.RepeatedCompositeFieldContainer[Membership]
    freight: Freight
    alarms: _containers.RepeatedCompositeFieldContainer[Alarm]
    deaths: _containers.RepeatedScalarFieldContainer[str]
    leaving: bool
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., births: _Optional[_Iterable[_Union[Birth, _Mapping]]] = ..., memberships: _Optional[_Iterable[_Union[Membership, _Mapping]]] = ..., freight: _Optional[_Union[Freight, _Mapping]] = ..., alarms: _Optional[_Iterable[_Union[Alarm, _Mapping]]] = ..., deaths: _Optional[_Iterable[str]] = ..., leaving: _Optional[bool] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("process", "incarnation")
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    process: str
    incarnation: int
    def __init__(self, process: _Optional[str] = ..., incarnation: _Optional[int] = ...) -> None: ...

class Birth(_message.Message):
    __slots__ = ("name", "incarnation")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    incarnation: int
    def __init__(self, name: _Optional[str] = ..., incarnation: _Optional[int] = ...) -> None: ...

class Membership(_message.Message):
    __slots__ = ("thread", "group", "leave")
    THREAD_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    thread: str
    group: str
    leave: bool
    def __init__(self, thread: _Optional[str] = ..., group: _Optional[str] = ..., leave: _Optional[bool] = ...) -> None: ...

class AttachResponse(_message.Message):
    __slots__ = ("welcome", "registrations", "freight")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    REGISTRATIONS_FIELD_NUMBER: _ClassVar[int]
    FREIGHT_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    registrations: _containers.RepeatedCompositeFieldContainer[Registration]
    freight: Freight
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., registrations: _Optional[_Iterable[_Union[Registration, _Mapping]]] = ..., freight: _Optional[_Union[Freight, _Mapping]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("domain", "router", "heartbeat_ms")
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    ROUTER_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_MS_FIELD_NUMBER: _ClassVar[int]
    domain: str
    router: str
    heartbeat_ms: int
    def __init__(self, domain: _Optional[str] = ..., router: _Optional[str] = ..., heartbeat_ms: _Optional[int] = ...) -> None: ...

class Registration(_message.Message):
    __slots__ = ("name", "incarnation", "state", "problem")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    name: str
    incarnation: int
    state: RegistrationState
    problem: str
    def __init__(self, name: _Optional[str] = ..., incarnation: _Optional[int] = ..., state: _Optional[_Union[RegistrationState, str]] = ..., problem: _Optional[str] = ...) -> None: ...

class Alarm(_message.Message):
    __slots__ = ("name", "severity", "on", "auto_off", "origin", "time", "comment")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    ON_FIELD_NUMBER: _ClassVar[int]
    AUTO_OFF_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    COMMENT_FIELD_NUMBER: _ClassVar[int]
    name: str
    severity: Severity
    on: bool
    auto_off: bool
    origin: str
    time: _timestamp_pb2.Timestamp
    comment: str
    def __init__(self, name: _Optional[str] = ..., severity: _Optional[_Union[Severity, str]] = ..., on: _Optional[bool] = ..., auto_off: _Optional[bool] = ..., origin: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., comment: _Optional[str] = ...) -> None: ...

class LinkRequest(_message.Message):
    __slots__ = ("hello", "threads", "routes", "freight", "number", "received", "alarms", "base", "epoch")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    ROUTES_FIELD_NUMBER: _ClassVar[int]
    FREIGHT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    ALARMS_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    hello: LinkHello
    threads: ThreadChanges
    routes: RouteChanges
    freight: Freight
    number: int
    received: int
    alarms: _containers.RepeatedCompositeFieldContainer[Alarm]
    base: int
    epoch: int
    def __init__(self, hello: _Optional[_Union[LinkHello, _Mapping]] = ..., threads: _Optional[_Union[ThreadChanges, _Mapping]] = ..., routes: _Optional[_Union[RouteChanges, _Mapping]] = ..., freight: _Optional[_Union[Freight, _Mapping]] = ..., number: _Optional[int] = ..., received: _Optional[int] = ..., alarms: _Optional[_Iterable[_Union[Alarm, _Mapping]]] = ..., base: _Optional[int] = ..., epoch: _Optional[int] = ...) -> None: ...

class LinkResponse(_message.Message):
    __slots__ = ("hello", "threads", "routes", "freight", "number", "received", "alarms", "base", "epoch")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    ROUTES_FIELD_NUMBER: _ClassVar[int]
    FREIGHT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    ALARMS_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    hello: LinkHello
    threads: ThreadChanges
    routes: RouteChanges
    freight: Freight
    number: int
    received: int
    alarms: _containers.RepeatedCompositeFieldContainer[Alarm]
    base: int
    epoch: int
    def __init__(self, hello: _Optional[_Union[LinkHello, _Mapping]] = ..., threads: _Optional[_Union[ThreadChanges, _Mapping]] = ..., routes: _Optional[_Union[RouteChanges, _Mapping]] = ..., freight: _Optional[_Union[Freight, _Mapping]] = ..., number: _Optional[int] = ..., received: _Optional[int] = ..., alarms: _Optional[_Iterable[_Union[Alarm, _Mapping]]] = ..., base: _Optional[int] = ..., epoch: _Optional[int] = ...) -> None: ...

class LinkHello(_message.Message):
    __slots__ = ("router", "domain", "incarnation", "link", "cost")
    ROUTER_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    router: str
    domain: str
    incarnation: int
    link: int
    cost: int
    def __init__(self, router: _Optional[str] = ..., domain: _Optional[str] = ..., incarnation: _Optional[int] = ..., link: _Optional[int] = ..., cost: _Optional[int] = ...) -> None: ...

class ThreadChanges(_message.Message):
    __slots__ = ("added", "removed", "complete", "groups_added", "groups_removed")
    ADDED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    GROUPS_ADDED_FIELD_NUMBER: _ClassVar[int]
    GROUPS_REMOVED_FIELD_NUMBER: _ClassVar[int]
    added: _containers.RepeatedCompositeFieldContainer[ThreadEntry]
    removed: _containers.RepeatedScalarFieldContainer[str]
    complete: bool
    groups_added: _containers.RepeatedScalarFieldContainer[str]
    groups_removed: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, added: _Optional[_Iterable[_Union[ThreadEntry, _Mapping]]] = ..., removed: _Optional[_Iterable[str]] = ..., complete: _Optional[bool] = ..., groups_added: _Optional[_Iterable[str]] = ..., groups_removed: _Optional[_Iterable[str]] = ...) -> None: ...

class ThreadEntry(_message.Message):
    __slots__ = ("name", "incarnation", "since_ms", "process")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    SINCE_MS_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    name: str
    incarnation: int
    since_ms: int
    process: str
    def __init__(self, name: _Optional[str] = ..., incarnation: _Optional[int] = ..., since_ms: _Optional[int] = ..., process: _Optional[str] = ...) -> None: ...

class RouteChanges(_message.Message):
    __slots__ = ("routes",)
    ROUTES_FIELD_NUMBER: _ClassVar[int]
    routes: _containers.RepeatedCompositeFieldContainer[Route]
    def __init__(self, routes: _Optional[_Iterable[_Union[Route, _Mapping]]] = ...) -> None: ...

class Route(_message.Message):
    __slots__ = ("domain", "path", "cost")
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    domain: str
    path: _containers.RepeatedScalarFieldContainer[str]
    cost: int
    def __init__(self, domain: _Optional[str] = ..., path: _Optional[_Iterable[str]] = ..., cost: _Optional[int] = ...) -> None: ...

class ListThreadsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "prefix")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    prefix: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., prefix: _Optional[str] = ...) -> None: ...

class ListThreadsResponse(_message.Message):
    __slots__ = ("threads", "next_page_token")
    THREADS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    threads: _containers.RepeatedCompositeFieldContainer[ThreadStatus]
    next_page_token: str
    def __init__(self, threads: _Optional[_Iterable[_Union[ThreadStatus, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ThreadStatus(_message.Message):
    __slots__ = ("name", "process", "router", "since", "groups")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    ROUTER_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    name: str
    process: str
    router: str
    since: _timestamp_pb2.Timestamp
    groups: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., process: _Optional[str] = ..., router: _Optional[str] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., groups: _Optional[_Iterable[str]] = ...) -> None: ...

class ListAlarmsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListAlarmsResponse(_message.Message):
    __slots__ = ("alarms",)
    ALARMS_FIELD_NUMBER: _ClassVar[int]
    alarms: _containers.RepeatedCompositeFieldContainer[Alarm]
    def __init__(self, alarms: _Optional[_Iterable[_Union[Alarm, _Mapping]]] = ...) -> None: ...

class WatchAlarmsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchAlarmsResponse(_message.Message):
    __slots__ = ("alarms",)
    ALARMS_FIELD_NUMBER: _ClassVar[int]
    alarms: _containers.RepeatedCompositeFieldContainer[Alarm]
    def __init__(self, alarms: _Optional[_Iterable[_Union[Alarm, _Mapping]]] = ...) -> None: ...

class ClearAlarmRequest(_message.Message):
    __slots__ = ("name", "origin")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    name: str
    origin: str
    def __init__(self, name: _Optional[str] = ..., origin: _Optional[str] = ...) -> None: ...

class ClearAlarmResponse(_message.Message):
    __slots__ = ("alarm",)
    ALARM_FIELD_NUMBER: _ClassVar[int]
    alarm: Alarm
    def __init__(self, alarm: _Optional[_Union[Alarm, _Mapping]] = ...) -> None: ...

class TraceRequest(_message.Message):
    __slots__ = ("address",)
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    address: str
    def __init__(self, address: _Optional[str] = ...) -> None: ...

class TraceResponse(_message.Message):
    __slots__ = ("messages", "missed")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MISSED_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[TracedMessage]
    missed: int
    def __init__(self, messages: _Optional[_Iterable[_Union[TracedMessage, _Mapping]]] = ..., missed: _Optional[int] = ...) -> None: ...

class TracedMessage(_message.Message):
    __slots__ = ("sender", "recipient", "incarnation", "sequence", "ttl", "flags", "message", "way")
    SENDER_FIELD_NUMBER: _ClassVar[int]
    RECIPIENT_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    FLAGS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    WAY_FIELD_NUMBER: _ClassVar[int]
    sender: str
    recipient: str
    incarnation: int
    sequence: int
    ttl: int
    flags: int
    message: Message
    way: str
    def __init__(self, sender: _Optional[str] = ..., recipient: _Optional[str] = ..., incarnation: _Optional[int] = ..., sequence: _Optional[int] = ..., ttl: _Optional[int] = ..., flags: _Optional[int] = ..., message: _Optional[_Union[Message, _Mapping]] = ..., way: _Optional[str] = ...) -> None: ...

class GetRouterRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetRouterResponse(_message.Message):
    __slots__ = ("router", "domain", "processes", "links", "routes", "threads", "messages", "dropped", "spilled_octets", "alarms")
    class DroppedEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    ROUTER_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    PROCESSES_FIELD_NUMBER: _ClassVar[int]
    LINKS_FIELD_NUMBER: _ClassVar[int]
    ROUTES_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    SPILLED_OCTETS_FIELD_NUMBER: _ClassVar[int]
    ALARMS_FIELD_NUMBER: _ClassVar[int]
    router: str
    domain: str
    processes: _containers.RepeatedCompositeFieldContainer[ProcessStatus]
    links: _containers.RepeatedCompositeFieldContainer[LinkStatus]
    routes: _containers.RepeatedCompositeFieldContainer[Route]
    threads: int
    messages: int
    dropped: _containers.ScalarMap[str, int]
    spilled_octets: int
    alarms: int
    def __init__(self, router: _Optional[str] = ..., domain: _Optional[str] = ..., processes: _Optional[_Iterable[_Union[ProcessStatus, _Mapping]]] = ..., links: _Optional[_Iterable[_Union[LinkStatus, _Mapping]]] = ..., routes: _Optional[_Iterable[_Union[Route, _Mapping]]] = ..., threads: _Optional[int] = ..., messages: _Optional[int] = ..., dropped: _Optional[_Mapping[str, int]] = ..., spilled_octets: _Optional[int] = ..., alarms: _Optional[int] = ...) -> None: ...

class ProcessStatus(_message.Message):
    __slots__ = ("process", "threads", "waiting_octets", "since")
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    WAITING_OCTETS_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    process: str
    threads: int
    waiting_octets: int
    since: _timestamp_pb2.Timestamp
    def __init__(self, process: _Optional[str] = ..., threads: _Optional[int] = ..., waiting_octets: _Optional[int] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class LinkStatus(_message.Message):
    __slots__ = ("router", "domain", "up", "waiting_octets", "problem", "name", "suspended")
    ROUTER_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    UP_FIELD_NUMBER: _ClassVar[int]
    WAITING_OCTETS_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    router: str
    domain: str
    up: bool
    waiting_octets: int
    problem: str
    name: str
    suspended: bool
    def __init__(self, router: _Optional[str] = ..., domain: _Optional[str] = ..., up: _Optional[bool] = ..., waiting_octets: _Optional[int] = ..., problem: _Optional[str] = ..., name: _Optional[str] = ..., suspended: _Optional[bool] = ...) -> None: ...
