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

class DeclarationChange(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECLARATION_CHANGE_UNSPECIFIED: _ClassVar[DeclarationChange]
    DECLARATION_CHANGE_CONFLICT: _ClassVar[DeclarationChange]
    DECLARATION_CHANGE_REFUSED: _ClassVar[DeclarationChange]

class Durability(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DURABILITY_UNSPECIFIED: _ClassVar[Durability]
    DURABILITY_VOLATILE: _ClassVar[Durability]
    DURABILITY_TRANSIENT: _ClassVar[Durability]
    DURABILITY_PERSISTENT: _ClassVar[Durability]

class Congestion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONGESTION_UNSPECIFIED: _ClassVar[Congestion]
    CONGESTION_BLOCK: _ClassVar[Congestion]
    CONGESTION_DROP: _ClassVar[Congestion]
    CONGESTION_ERROR: _ClassVar[Congestion]
    CONGESTION_SPILL: _ClassVar[Congestion]

class SubscriptionMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUBSCRIPTION_MODE_UNSPECIFIED: _ClassVar[SubscriptionMode]
    SUBSCRIPTION_MODE_PUSH: _ClassVar[SubscriptionMode]
    SUBSCRIPTION_MODE_PULL: _ClassVar[SubscriptionMode]
    SUBSCRIPTION_MODE_PERIODIC_PUSH: _ClassVar[SubscriptionMode]
    SUBSCRIPTION_MODE_PERIODIC_PULL: _ClassVar[SubscriptionMode]
    SUBSCRIPTION_MODE_PUSH_AND_PULL: _ClassVar[SubscriptionMode]

class Slow(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SLOW_UNSPECIFIED: _ClassVar[Slow]
    SLOW_END: _ClassVar[Slow]
    SLOW_DROP: _ClassVar[Slow]
    SLOW_HOLD: _ClassVar[Slow]

class PeerChange(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PEER_CHANGE_UNSPECIFIED: _ClassVar[PeerChange]
    PEER_CHANGE_CONNECTED: _ClassVar[PeerChange]
    PEER_CHANGE_DISCONNECTED: _ClassVar[PeerChange]
    PEER_CHANGE_RECONNECTED: _ClassVar[PeerChange]

class DeclarationKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECLARATION_KIND_UNSPECIFIED: _ClassVar[DeclarationKind]
    DECLARATION_KIND_RESOURCE: _ClassVar[DeclarationKind]
    DECLARATION_KIND_PUBLISHER: _ClassVar[DeclarationKind]
    DECLARATION_KIND_SUBSCRIBER: _ClassVar[DeclarationKind]
    DECLARATION_KIND_SELECTION: _ClassVar[DeclarationKind]
    DECLARATION_KIND_LIVELINESS: _ClassVar[DeclarationKind]
DECLARATION_CHANGE_UNSPECIFIED: DeclarationChange
DECLARATION_CHANGE_CONFLICT: DeclarationChange
DECLARATION_CHANGE_REFUSED: DeclarationChange
DURABILITY_UNSPECIFIED: Durability
DURABILITY_VOLATILE: Durability
DURABILITY_TRANSIENT: Durability
DURABILITY_PERSISTENT: Durability
CONGESTION_UNSPECIFIED: Congestion
CONGESTION_BLOCK: Congestion
CONGESTION_DROP: Congestion
CONGESTION_ERROR: Congestion
CONGESTION_SPILL: Congestion
SUBSCRIPTION_MODE_UNSPECIFIED: SubscriptionMode
SUBSCRIPTION_MODE_PUSH: SubscriptionMode
SUBSCRIPTION_MODE_PULL: SubscriptionMode
SUBSCRIPTION_MODE_PERIODIC_PUSH: SubscriptionMode
SUBSCRIPTION_MODE_PERIODIC_PULL: SubscriptionMode
SUBSCRIPTION_MODE_PUSH_AND_PULL: SubscriptionMode
SLOW_UNSPECIFIED: Slow
SLOW_END: Slow
SLOW_DROP: Slow
SLOW_HOLD: Slow
PEER_CHANGE_UNSPECIFIED: PeerChange
PEER_CHANGE_CONNECTED: PeerChange
PEER_CHANGE_DISCONNECTED: PeerChange
PEER_CHANGE_RECONNECTED: PeerChange
DECLARATION_KIND_UNSPECIFIED: DeclarationKind
DECLARATION_KIND_RESOURCE: DeclarationKind
DECLARATION_KIND_PUBLISHER: DeclarationKind
DECLARATION_KIND_SUBSCRIBER: DeclarationKind
DECLARATION_KIND_SELECTION: DeclarationKind
DECLARATION_KIND_LIVELINESS: DeclarationKind

class AttachRequest(_message.Message):
    __slots__ = ("program",)
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    program: str
    def __init__(self, program: _Optional[str] = ...) -> None: ...

class AttachResponse(_message.Message):
    __slots__ = ("client", "peer_id", "events", "missed")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    MISSED_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    peer_id: bytes
    events: _containers.RepeatedCompositeFieldContainer[DeclarationEvent]
    missed: int
    def __init__(self, client: _Optional[bytes] = ..., peer_id: _Optional[bytes] = ..., events: _Optional[_Iterable[_Union[DeclarationEvent, _Mapping]]] = ..., missed: _Optional[int] = ...) -> None: ...

class DeclarationEvent(_message.Message):
    __slots__ = ("change", "declaration", "reason")
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    DECLARATION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    change: DeclarationChange
    declaration: Declaration
    reason: str
    def __init__(self, change: _Optional[_Union[DeclarationChange, str]] = ..., declaration: _Optional[_Union[Declaration, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class DeclareResourceRequest(_message.Message):
    __slots__ = ("client", "uri", "rid", "reliable", "durability", "unicast")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    RID_FIELD_NUMBER: _ClassVar[int]
    RELIABLE_FIELD_NUMBER: _ClassVar[int]
    DURABILITY_FIELD_NUMBER: _ClassVar[int]
    UNICAST_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    uri: str
    rid: int
    reliable: bool
    durability: Durability
    unicast: bool
    def __init__(self, client: _Optional[bytes] = ..., uri: _Optional[str] = ..., rid: _Optional[int] = ..., reliable: _Optional[bool] = ..., durability: _Optional[_Union[Durability, str]] = ..., unicast: _Optional[bool] = ...) -> None: ...

class DeclareResourceResponse(_message.Message):
    __slots__ = ("declaration", "rid")
    DECLARATION_FIELD_NUMBER: _ClassVar[int]
    RID_FIELD_NUMBER: _ClassVar[int]
    declaration: int
    rid: int
    def __init__(self, declaration: _Optional[int] = ..., rid: _Optional[int] = ...) -> None: ...

class DeclareSelectionRequest(_message.Message):
    __slots__ = ("client", "pattern", "globally")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    GLOBALLY_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    pattern: str
    globally: bool
    def __init__(self, client: _Optional[bytes] = ..., pattern: _Optional[str] = ..., globally: _Optional[bool] = ...) -> None: ...

class DeclareSelectionResponse(_message.Message):
    __slots__ = ("declaration", "rid")
    DECLARATION_FIELD_NUMBER: _ClassVar[int]
    RID_FIELD_NUMBER: _ClassVar[int]
    declaration: int
    rid: int
    def __init__(self, declaration: _Optional[int] = ..., rid: _Optional[int] = ...) -> None: ...

class DeclarePublisherRequest(_message.Message):
    __slots__ = ("client", "uri", "rid", "conduit", "reliable", "congestion", "deadline", "switching", "history")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    RID_FIELD_NUMBER: _ClassVar[int]
    CONDUIT_FIELD_NUMBER: _ClassVar[int]
    RELIABLE_FIELD_NUMBER: _ClassVar[int]
    CONGESTION_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FIELD_NUMBER: _ClassVar[int]
    SWITCHING_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    uri: str
    rid: int
    conduit: int
    reliable: bool
    congestion: Congestion
    deadline: _duration_pb2.Duration
    switching: bool
    history: int
    def __init__(self, client: _Optional[bytes] = ..., uri: _Optional[str] = ..., rid: _Optional[int] = ..., conduit: _Optional[int] = ..., reliable: _Optional[bool] = ..., congestion: _Optional[_Union[Congestion, str]] = ..., deadline: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., switching: _Optional[bool] = ..., history: _Optional[int] = ...) -> None: ...

class DeclarePublisherResponse(_message.Message):
    __slots__ = ("declaration",)
    DECLARATION_FIELD_NUMBER: _ClassVar[int]
    declaration: int
    def __init__(self, declaration: _Optional[int] = ...) -> None: ...

class Period(_message.Message):
    __slots__ = ("origin", "period", "duration")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    PERIOD_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    origin: _duration_pb2.Duration
    period: _duration_pb2.Duration
    duration: _duration_pb2.Duration
    def __init__(self, origin: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., period: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class DeclareSubscriberRequest(_message.Message):
    __slots__ = ("client", "uri", "rid", "mode", "period", "history", "slow", "queued_samples")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    RID_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    PERIOD_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    SLOW_FIELD_NUMBER: _ClassVar[int]
    QUEUED_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    uri: str
    rid: int
    mode: SubscriptionMode
    period: Period
    history: int
    slow: Slow
    queued_samples: int
    def __init__(self, client: _Optional[bytes] = ..., uri: _Optional[str] = ..., rid: _Optional[int] = ..., mode: _Optional[_Union[SubscriptionMode, str]] = ..., period: _Optional[_Union[Period, _Mapping]] = ..., history: _Optional[int] = ..., slow: _Optional[_Union[Slow, str]] = ..., queued_samples: _Optional[int] = ...) -> None: ...

class DeclareSubscriberResponse(_message.Message):
    __slots__ = ("declaration",)
    DECLARATION_FIELD_NUMBER: _ClassVar[int]
    declaration: int
    def __init__(self, declaration: _Optional[int] = ...) -> None: ...

class DeclareTokenRequest(_message.Message):
    __slots__ = ("client", "uri")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    uri: str
    def __init__(self, client: _Optional[bytes] = ..., uri: _Optional[str] = ...) -> None: ...

class DeclareTokenResponse(_message.Message):
    __slots__ = ("declaration",)
    DECLARATION_FIELD_NUMBER: _ClassVar[int]
    declaration: int
    def __init__(self, declaration: _Optional[int] = ...) -> None: ...

class UndeclareRequest(_message.Message):
    __slots__ = ("client", "declaration")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    DECLARATION_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    declaration: int
    def __init__(self, client: _Optional[bytes] = ..., declaration: _Optional[int] = ...) -> None: ...

class UndeclareResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PublishRequest(_message.Message):
    __slots__ = ("client", "publisher", "samples")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    PUBLISHER_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    publisher: int
    samples: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, client: _Optional[bytes] = ..., publisher: _Optional[int] = ..., samples: _Optional[_Iterable[bytes]] = ...) -> None: ...

class PublishResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[BatchResult]
    def __init__(self, results: _Optional[_Iterable[_Union[BatchResult, _Mapping]]] = ...) -> None: ...

class BatchResult(_message.Message):
    __slots__ = ("first", "count", "accepted", "spilled", "dropped", "expired", "refused", "reason", "problem")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    SPILLED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    EXPIRED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    first: int
    count: int
    accepted: int
    spilled: int
    dropped: int
    expired: int
    refused: int
    reason: str
    problem: str
    def __init__(self, first: _Optional[int] = ..., count: _Optional[int] = ..., accepted: _Optional[int] = ..., spilled: _Optional[int] = ..., dropped: _Optional[int] = ..., expired: _Optional[int] = ..., refused: _Optional[int] = ..., reason: _Optional[str] = ..., problem: _Optional[str] = ...) -> None: ...

class SubscribeRequest(_message.Message):
    __slots__ = ("client", "subscriber")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBER_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    subscriber: int
    def __init__(self, client: _Optional[bytes] = ..., subscriber: _Optional[int] = ...) -> None: ...

class SubscribeResponse(_message.Message):
    __slots__ = ("deliveries", "missed")
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    MISSED_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[Delivery]
    missed: int
    def __init__(self, deliveries: _Optional[_Iterable[_Union[Delivery, _Mapping]]] = ..., missed: _Optional[int] = ...) -> None: ...

class Delivery(_message.Message):
    __slots__ = ("peer_id", "rid", "uri", "samples")
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    RID_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    peer_id: bytes
    rid: int
    uri: str
    samples: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, peer_id: _Optional[bytes] = ..., rid: _Optional[int] = ..., uri: _Optional[str] = ..., samples: _Optional[_Iterable[bytes]] = ...) -> None: ...

class PullRequest(_message.Message):
    __slots__ = ("client", "subscriber", "limit")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    subscriber: int
    limit: int
    def __init__(self, client: _Optional[bytes] = ..., subscriber: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class PullResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class QueryRequest(_message.Message):
    __slots__ = ("uri", "payload", "deadline")
    URI_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FIELD_NUMBER: _ClassVar[int]
    uri: str
    payload: bytes
    deadline: _duration_pb2.Duration
    def __init__(self, uri: _Optional[str] = ..., payload: _Optional[bytes] = ..., deadline: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class QueryResponse(_message.Message):
    __slots__ = ("replies", "end", "unanswered")
    REPLIES_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    UNANSWERED_FIELD_NUMBER: _ClassVar[int]
    replies: _containers.RepeatedCompositeFieldContainer[Reply]
    end: bool
    unanswered: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, replies: _Optional[_Iterable[_Union[Reply, _Mapping]]] = ..., end: _Optional[bool] = ..., unanswered: _Optional[_Iterable[bytes]] = ...) -> None: ...

class Reply(_message.Message):
    __slots__ = ("peer_id", "uri", "payload")
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    peer_id: bytes
    uri: str
    payload: bytes
    def __init__(self, peer_id: _Optional[bytes] = ..., uri: _Optional[str] = ..., payload: _Optional[bytes] = ...) -> None: ...

class AnswerRequest(_message.Message):
    __slots__ = ("client", "uri", "answers")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    client: bytes
    uri: str
    answers: _containers.RepeatedCompositeFieldContainer[QueryAnswer]
    def __init__(self, client: _Optional[bytes] = ..., uri: _Optional[str] = ..., answers: _Optional[_Iterable[_Union[QueryAnswer, _Mapping]]] = ...) -> None: ...

class QueryAnswer(_message.Message):
    __slots__ = ("query", "replies")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    REPLIES_FIELD_NUMBER: _ClassVar[int]
    query: int
    replies: _containers.RepeatedCompositeFieldContainer[Reply]
    def __init__(self, query: _Optional[int] = ..., replies: _Optional[_Iterable[_Union[Reply, _Mapping]]] = ...) -> None: ...

class AnswerResponse(_message.Message):
    __slots__ = ("queries", "faults")
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    queries: _containers.RepeatedCompositeFieldContainer[PeerQuery]
    faults: _containers.RepeatedCompositeFieldContainer[AnswerFault]
    def __init__(self, queries: _Optional[_Iterable[_Union[PeerQuery, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[AnswerFault, _Mapping]]] = ...) -> None: ...

class PeerQuery(_message.Message):
    __slots__ = ("query", "peer_id", "uri", "payload")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    query: int
    peer_id: bytes
    uri: str
    payload: bytes
    def __init__(self, query: _Optional[int] = ..., peer_id: _Optional[bytes] = ..., uri: _Optional[str] = ..., payload: _Optional[bytes] = ...) -> None: ...

class AnswerFault(_message.Message):
    __slots__ = ("query", "problem")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    query: int
    problem: str
    def __init__(self, query: _Optional[int] = ..., problem: _Optional[str] = ...) -> None: ...

class WatchPeersRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PeerEvent(_message.Message):
    __slots__ = ("change", "peer_id", "address", "previous", "reason", "time")
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    change: PeerChange
    peer_id: bytes
    address: str
    previous: bytes
    reason: str
    time: _timestamp_pb2.Timestamp
    def __init__(self, change: _Optional[_Union[PeerChange, str]] = ..., peer_id: _Optional[bytes] = ..., address: _Optional[str] = ..., previous: _Optional[bytes] = ..., reason: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class WatchPeersResponse(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[PeerEvent]
    def __init__(self, events: _Optional[_Iterable[_Union[PeerEvent, _Mapping]]] = ...) -> None: ...

class Declaration(_message.Message):
    __slots__ = ("peer_id", "kind", "rid", "uri", "mode")
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RID_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    peer_id: bytes
    kind: DeclarationKind
    rid: int
    uri: str
    mode: SubscriptionMode
    def __init__(self, peer_id: _Optional[bytes] = ..., kind: _Optional[_Union[DeclarationKind, str]] = ..., rid: _Optional[int] = ..., uri: _Optional[str] = ..., mode: _Optional[_Union[SubscriptionMode, str]] = ...) -> None: ...

class ListDeclarationsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "peer_id", "kind", "prefix")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    peer_id: bytes
    kind: DeclarationKind
    prefix: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., peer_id: _Optional[bytes] = ..., kind: _Optional[_Union[DeclarationKind, str]] = ..., prefix: _Optional[str] = ...) -> None: ...

class ListDeclarationsResponse(_message.Message):
    __slots__ = ("declarations", "next_page_token")
    DECLARATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    declarations: _containers.RepeatedCompositeFieldContainer[Declaration]
    next_page_token: str
    def __init__(self, declarations: _Optional[_Iterable[_Union[Declaration, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CloseSessionRequest(_message.Message):
    __slots__ = ("peer_id", "address", "reason")
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    peer_id: bytes
    address: str
    reason: str
    def __init__(self, peer_id: _Optional[bytes] = ..., address: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class CloseSessionResponse(_message.Message):
    __slots__ = ("peer_id",)
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    peer_id: bytes
    def __init__(self, peer_id: _Optional[bytes] = ...) -> None: ...

class GetNodeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetNodeResponse(_message.Message):
    __slots__ = ("peer_id", "peers", "resources", "undelivered", "address", "stream_address", "group", "clients", "publishers", "subscribers", "published", "delivered", "spilled", "refused_datagrams")
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    PEERS_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    UNDELIVERED_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    STREAM_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    CLIENTS_FIELD_NUMBER: _ClassVar[int]
    PUBLISHERS_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBERS_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    SPILLED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_DATAGRAMS_FIELD_NUMBER: _ClassVar[int]
    peer_id: bytes
    peers: _containers.RepeatedCompositeFieldContainer[PeerStatus]
    resources: int
    undelivered: int
    address: str
    stream_address: str
    group: str
    clients: int
    publishers: int
    subscribers: int
    published: int
    delivered: int
    spilled: int
    refused_datagrams: int
    def __init__(self, peer_id: _Optional[bytes] = ..., peers: _Optional[_Iterable[_Union[PeerStatus, _Mapping]]] = ..., resources: _Optional[int] = ..., undelivered: _Optional[int] = ..., address: _Optional[str] = ..., stream_address: _Optional[str] = ..., group: _Optional[str] = ..., clients: _Optional[int] = ..., publishers: _Optional[int] = ..., subscribers: _Optional[int] = ..., published: _Optional[int] = ..., delivered: _Optional[int] = ..., spilled: _Optional[int] = ..., refused_datagrams: _Optional[int] = ...) -> None: ...

class PeerStatus(_message.Message):
    __slots__ = ("peer_id", "address", "lease", "since", "extras", "unacknowledged")
    PEER_ID_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    EXTRAS_FIELD_NUMBER: _ClassVar[int]
    UNACKNOWLEDGED_FIELD_NUMBER: _ClassVar[int]
    peer_id: bytes
    address: str
    lease: _duration_pb2.Duration
    since: _timestamp_pb2.Timestamp
    extras: _containers.RepeatedScalarFieldContainer[str]
    unacknowledged: int
    def __init__(self, peer_id: _Optional[bytes] = ..., address: _Optional[str] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., extras: _Optional[_Iterable[str]] = ..., unacknowledged: _Optional[int] = ...) -> None: ...
