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

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_ACCEPTED: _ClassVar[Outcome]
    OUTCOME_DUPLICATE: _ClassVar[Outcome]
    OUTCOME_NO_PEER: _ClassVar[Outcome]
    OUTCOME_REJECTED: _ClassVar[Outcome]

class PeerState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PEER_STATE_UNSPECIFIED: _ClassVar[PeerState]
    PEER_STATE_PAUSED: _ClassVar[PeerState]
    PEER_STATE_IDLE: _ClassVar[PeerState]
    PEER_STATE_CONNECTING: _ClassVar[PeerState]
    PEER_STATE_CONNECTED: _ClassVar[PeerState]
    PEER_STATE_BACKING_OFF: _ClassVar[PeerState]

class WaitingPlace(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WAITING_PLACE_UNSPECIFIED: _ClassVar[WaitingPlace]
    WAITING_PLACE_LOG: _ClassVar[WaitingPlace]
    WAITING_PLACE_QUEUE: _ClassVar[WaitingPlace]
    WAITING_PLACE_BACKLOG: _ClassVar[WaitingPlace]
    WAITING_PLACE_DEFERRED: _ClassVar[WaitingPlace]
    WAITING_PLACE_RESEND: _ClassVar[WaitingPlace]

class Refused(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REFUSED_UNSPECIFIED: _ClassVar[Refused]
    REFUSED_UNWANTED: _ClassVar[Refused]
    REFUSED_REJECTED: _ClassVar[Refused]
    REFUSED_PUT_OFF: _ClassVar[Refused]
    REFUSED_FAILED: _ClassVar[Refused]
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_ACCEPTED: Outcome
OUTCOME_DUPLICATE: Outcome
OUTCOME_NO_PEER: Outcome
OUTCOME_REJECTED: Outcome
PEER_STATE_UNSPECIFIED: PeerState
PEER_STATE_PAUSED: PeerState
PEER_STATE_IDLE: PeerState
PEER_STATE_CONNECTING: PeerState
PEER_STATE_CONNECTED: PeerState
PEER_STATE_BACKING_OFF: PeerState
WAITING_PLACE_UNSPECIFIED: WaitingPlace
WAITING_PLACE_LOG: WaitingPlace
WAITING_PLACE_QUEUE: WaitingPlace
WAITING_PLACE_BACKLOG: WaitingPlace
WAITING_PLACE_DEFERRED: WaitingPlace
WAITING_PLACE_RESEND: WaitingPlace
REFUSED_UNSPECIFIED: Refused
REFUSED_UNWANTED: Refused
REFUSED_REJECTED: Refused
REFUSED_PUT_OFF: Refused
REFUSED_FAILED: Refused

class Article(_message.Message):
    __slots__ = ("content",)
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    content: bytes
    def __init__(self, content: _Optional[bytes] = ...) -> None: ...

class OfferRequest(_message.Message):
    __slots__ = ("first", "articles")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    ARTICLES_FIELD_NUMBER: _ClassVar[int]
    first: int
    articles: _containers.RepeatedCompositeFieldContainer[Article]
    def __init__(self, first: _Optional[int] = ..., articles: _Optional[_Iterable[_Union[Article, _Mapping]]] = ...) -> None: ...

class OfferResponse(_message.Message):
    __slots__ = ("verdicts",)
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    verdicts: _containers.RepeatedCompositeFieldContainer[Verdict]
    def __init__(self, verdicts: _Optional[_Iterable[_Union[Verdict, _Mapping]]] = ...) -> None: ...

class Verdict(_message.Message):
    __slots__ = ("first", "count", "outcome", "reason", "message_id")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    first: int
    count: int
    outcome: Outcome
    reason: str
    message_id: str
    def __init__(self, first: _Optional[int] = ..., count: _Optional[int] = ..., outcome: _Optional[_Union[Outcome, str]] = ..., reason: _Optional[str] = ..., message_id: _Optional[str] = ...) -> None: ...

class ExplainRequest(_message.Message):
    __slots__ = ("article", "message_id")
    ARTICLE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    article: Article
    message_id: str
    def __init__(self, article: _Optional[_Union[Article, _Mapping]] = ..., message_id: _Optional[str] = ...) -> None: ...

class ExplainResponse(_message.Message):
    __slots__ = ("outcome", "reason", "message_id", "peers")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    PEERS_FIELD_NUMBER: _ClassVar[int]
    outcome: Outcome
    reason: str
    message_id: str
    peers: _containers.RepeatedCompositeFieldContainer[PeerExplanation]
    def __init__(self, outcome: _Optional[_Union[Outcome, str]] = ..., reason: _Optional[str] = ..., message_id: _Optional[str] = ..., peers: _Optional[_Iterable[_Union[PeerExplanation, _Mapping]]] = ...) -> None: ...

class PeerExplanation(_message.Message):
    __slots__ = ("peer", "wanted", "rule", "detail")
    PEER_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    peer: str
    wanted: bool
    rule: str
    detail: str
    def __init__(self, peer: _Optional[str] = ..., wanted: _Optional[bool] = ..., rule: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class ListPeersRequest(_message.Message):
    __slots__ = ("peers",)
    PEERS_FIELD_NUMBER: _ClassVar[int]
    peers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, peers: _Optional[_Iterable[str]] = ...) -> None: ...

class ListPeersResponse(_message.Message):
    __slots__ = ("peers",)
    PEERS_FIELD_NUMBER: _ClassVar[int]
    peers: _containers.RepeatedCompositeFieldContainer[PeerStatus]
    def __init__(self, peers: _Optional[_Iterable[_Union[PeerStatus, _Mapping]]] = ...) -> None: ...

class WatchPeersRequest(_message.Message):
    __slots__ = ("peers", "interval")
    PEERS_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    peers: _containers.RepeatedScalarFieldContainer[str]
    interval: _duration_pb2.Duration
    def __init__(self, peers: _Optional[_Iterable[str]] = ..., interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class WatchPeersResponse(_message.Message):
    __slots__ = ("time", "peers")
    TIME_FIELD_NUMBER: _ClassVar[int]
    PEERS_FIELD_NUMBER: _ClassVar[int]
    time: _timestamp_pb2.Timestamp
    peers: _containers.RepeatedCompositeFieldContainer[PeerStatus]
    def __init__(self, time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., peers: _Optional[_Iterable[_Union[PeerStatus, _Mapping]]] = ...) -> None: ...

class PeerStatus(_message.Message):
    __slots__ = ("name", "uid", "state", "reason", "connections", "counters", "backlog", "oldest_queued_age", "window", "queue_length", "last_error", "last_error_time", "next_attempt_time", "articles_per_second", "error_reason", "max_connections", "waiting_ages", "queue_fullness", "dropped_by_reason")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    BACKLOG_FIELD_NUMBER: _ClassVar[int]
    OLDEST_QUEUED_AGE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    QUEUE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    LAST_ERROR_FIELD_NUMBER: _ClassVar[int]
    LAST_ERROR_TIME_FIELD_NUMBER: _ClassVar[int]
    NEXT_ATTEMPT_TIME_FIELD_NUMBER: _ClassVar[int]
    ARTICLES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    ERROR_REASON_FIELD_NUMBER: _ClassVar[int]
    MAX_CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    WAITING_AGES_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FULLNESS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_BY_REASON_FIELD_NUMBER: _ClassVar[int]
    name: str
    uid: str
    state: PeerState
    reason: str
    connections: _containers.RepeatedCompositeFieldContainer[ConnectionStatus]
    counters: PeerCounters
    backlog: Backlog
    oldest_queued_age: _duration_pb2.Duration
    window: int
    queue_length: int
    last_error: str
    last_error_time: _timestamp_pb2.Timestamp
    next_attempt_time: _timestamp_pb2.Timestamp
    articles_per_second: float
    error_reason: str
    max_connections: int
    waiting_ages: _containers.RepeatedCompositeFieldContainer[WaitingAge]
    queue_fullness: QueueFullness
    dropped_by_reason: _containers.RepeatedCompositeFieldContainer[DroppedCount]
    def __init__(self, name: _Optional[str] = ..., uid: _Optional[str] = ..., state: _Optional[_Union[PeerState, str]] = ..., reason: _Optional[str] = ..., connections: _Optional[_Iterable[_Union[ConnectionStatus, _Mapping]]] = ..., counters: _Optional[_Union[PeerCounters, _Mapping]] = ..., backlog: _Optional[_Union[Backlog, _Mapping]] = ..., oldest_queued_age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., window: _Optional[int] = ..., queue_length: _Optional[int] = ..., last_error: _Optional[str] = ..., last_error_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., next_attempt_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., articles_per_second: _Optional[float] = ..., error_reason: _Optional[str] = ..., max_connections: _Optional[int] = ..., waiting_ages: _Optional[_Iterable[_Union[WaitingAge, _Mapping]]] = ..., queue_fullness: _Optional[_Union[QueueFullness, _Mapping]] = ..., dropped_by_reason: _Optional[_Iterable[_Union[DroppedCount, _Mapping]]] = ...) -> None: ...

class DroppedCount(_message.Message):
    __slots__ = ("reason", "articles")
    REASON_FIELD_NUMBER: _ClassVar[int]
    ARTICLES_FIELD_NUMBER: _ClassVar[int]
    reason: str
    articles: int
    def __init__(self, reason: _Optional[str] = ..., articles: _Optional[int] = ...) -> None: ...

class WaitingAge(_message.Message):
    __slots__ = ("place", "age")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    place: WaitingPlace
    age: _duration_pb2.Duration
    def __init__(self, place: _Optional[_Union[WaitingPlace, str]] = ..., age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class QueueFullness(_message.Message):
    __slots__ = ("size", "mean", "longest", "looks")
    SIZE_FIELD_NUMBER: _ClassVar[int]
    MEAN_FIELD_NUMBER: _ClassVar[int]
    LONGEST_FIELD_NUMBER: _ClassVar[int]
    LOOKS_FIELD_NUMBER: _ClassVar[int]
    size: int
    mean: float
    longest: int
    looks: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, size: _Optional[int] = ..., mean: _Optional[float] = ..., longest: _Optional[int] = ..., looks: _Optional[_Iterable[int]] = ...) -> None: ...

class ConnectionStatus(_message.Message):
    __slots__ = ("id", "address", "connected_since", "in_flight", "streaming", "no_check", "accepted", "refused", "rejected", "deferred", "tls", "compressed")
    ID_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_SINCE_FIELD_NUMBER: _ClassVar[int]
    IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    STREAMING_FIELD_NUMBER: _ClassVar[int]
    NO_CHECK_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_FIELD_NUMBER: _ClassVar[int]
    TLS_FIELD_NUMBER: _ClassVar[int]
    COMPRESSED_FIELD_NUMBER: _ClassVar[int]
    id: int
    address: str
    connected_since: _timestamp_pb2.Timestamp
    in_flight: int
    streaming: bool
    no_check: bool
    accepted: int
    refused: int
    rejected: int
    deferred: int
    tls: bool
    compressed: bool
    def __init__(self, id: _Optional[int] = ..., address: _Optional[str] = ..., connected_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., in_flight: _Optional[int] = ..., streaming: _Optional[bool] = ..., no_check: _Optional[bool] = ..., accepted: _Optional[int] = ..., refused: _Optional[int] = ..., rejected: _Optional[int] = ..., deferred: _Optional[int] = ..., tls: _Optional[bool] = ..., compressed: _Optional[bool] = ...) -> None: ...

class PeerCounters(_message.Message):
    __slots__ = ("offered", "accepted", "refused", "rejected", "deferred", "expired", "dropped", "dead_lettered", "queued", "in_flight", "accepted_bytes", "rejected_bytes", "requeued", "offered_bytes", "refused_bytes", "put_off_bytes", "put_offs", "missing", "spooled_overflow", "spooled_on_close", "spooled_sleeping", "unspooled")
    OFFERED_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    DEFERRED_FIELD_NUMBER: _ClassVar[int]
    EXPIRED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTERED_FIELD_NUMBER: _ClassVar[int]
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_BYTES_FIELD_NUMBER: _ClassVar[int]
    REJECTED_BYTES_FIELD_NUMBER: _ClassVar[int]
    REQUEUED_FIELD_NUMBER: _ClassVar[int]
    OFFERED_BYTES_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BYTES_FIELD_NUMBER: _ClassVar[int]
    PUT_OFF_BYTES_FIELD_NUMBER: _ClassVar[int]
    PUT_OFFS_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    SPOOLED_OVERFLOW_FIELD_NUMBER: _ClassVar[int]
    SPOOLED_ON_CLOSE_FIELD_NUMBER: _ClassVar[int]
    SPOOLED_SLEEPING_FIELD_NUMBER: _ClassVar[int]
    UNSPOOLED_FIELD_NUMBER: _ClassVar[int]
    offered: int
    accepted: int
    refused: int
    rejected: int
    deferred: int
    expired: int
    dropped: int
    dead_lettered: int
    queued: int
    in_flight: int
    accepted_bytes: int
    rejected_bytes: int
    requeued: int
    offered_bytes: int
    refused_bytes: int
    put_off_bytes: int
    put_offs: int
    missing: int
    spooled_overflow: int
    spooled_on_close: int
    spooled_sleeping: int
    unspooled: int
    def __init__(self, offered: _Optional[int] = ..., accepted: _Optional[int] = ..., refused: _Optional[int] = ..., rejected: _Optional[int] = ..., deferred: _Optional[int] = ..., expired: _Optional[int] = ..., dropped: _Optional[int] = ..., dead_lettered: _Optional[int] = ..., queued: _Optional[int] = ..., in_flight: _Optional[int] = ..., accepted_bytes: _Optional[int] = ..., rejected_bytes: _Optional[int] = ..., requeued: _Optional[int] = ..., offered_bytes: _Optional[int] = ..., refused_bytes: _Optional[int] = ..., put_off_bytes: _Optional[int] = ..., put_offs: _Optional[int] = ..., missing: _Optional[int] = ..., spooled_overflow: _Optional[int] = ..., spooled_on_close: _Optional[int] = ..., spooled_sleeping: _Optional[int] = ..., unspooled: _Optional[int] = ...) -> None: ...

class Backlog(_message.Message):
    __slots__ = ("entries", "bytes", "segments", "limit_bytes", "limit_age")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    SEGMENTS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_BYTES_FIELD_NUMBER: _ClassVar[int]
    LIMIT_AGE_FIELD_NUMBER: _ClassVar[int]
    entries: int
    bytes: int
    segments: int
    limit_bytes: int
    limit_age: _duration_pb2.Duration
    def __init__(self, entries: _Optional[int] = ..., bytes: _Optional[int] = ..., segments: _Optional[int] = ..., limit_bytes: _Optional[int] = ..., limit_age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class PauseRequest(_message.Message):
    __slots__ = ("peer",)
    PEER_FIELD_NUMBER: _ClassVar[int]
    peer: str
    def __init__(self, peer: _Optional[str] = ...) -> None: ...

class PauseResponse(_message.Message):
    __slots__ = ("peer",)
    PEER_FIELD_NUMBER: _ClassVar[int]
    peer: PeerStatus
    def __init__(self, peer: _Optional[_Union[PeerStatus, _Mapping]] = ...) -> None: ...

class ResumeRequest(_message.Message):
    __slots__ = ("peer",)
    PEER_FIELD_NUMBER: _ClassVar[int]
    peer: str
    def __init__(self, peer: _Optional[str] = ...) -> None: ...

class ResumeResponse(_message.Message):
    __slots__ = ("peer",)
    PEER_FIELD_NUMBER: _ClassVar[int]
    peer: PeerStatus
    def __init__(self, peer: _Optional[_Union[PeerStatus, _Mapping]] = ...) -> None: ...

class FlushRequest(_message.Message):
    __slots__ = ("peer",)
    PEER_FIELD_NUMBER: _ClassVar[int]
    peer: str
    def __init__(self, peer: _Optional[str] = ...) -> None: ...

class FlushResponse(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: int
    def __init__(self, entries: _Optional[int] = ...) -> None: ...

class ListDeadLettersRequest(_message.Message):
    __slots__ = ("peer", "page_size", "page_token", "reason", "message_ids")
    PEER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    peer: str
    page_size: int
    page_token: str
    reason: str
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, peer: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., reason: _Optional[str] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ListDeadLettersResponse(_message.Message):
    __slots__ = ("dead_letters", "next_page_token")
    DEAD_LETTERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    dead_letters: _containers.RepeatedCompositeFieldContainer[DeadLetter]
    next_page_token: str
    def __init__(self, dead_letters: _Optional[_Iterable[_Union[DeadLetter, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeadLetter(_message.Message):
    __slots__ = ("message_id", "reason", "arrival_time", "dead_letter_time", "size", "tries")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ARRIVAL_TIME_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTER_TIME_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    TRIES_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    reason: str
    arrival_time: _timestamp_pb2.Timestamp
    dead_letter_time: _timestamp_pb2.Timestamp
    size: int
    tries: int
    def __init__(self, message_id: _Optional[str] = ..., reason: _Optional[str] = ..., arrival_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., dead_letter_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., size: _Optional[int] = ..., tries: _Optional[int] = ...) -> None: ...

class ReplayDeadLettersRequest(_message.Message):
    __slots__ = ("peer", "message_ids", "reason")
    PEER_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    peer: str
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    def __init__(self, peer: _Optional[str] = ..., message_ids: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ...) -> None: ...

class ReplayDeadLettersResponse(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: int
    def __init__(self, entries: _Optional[int] = ...) -> None: ...

class ListRefusalsRequest(_message.Message):
    __slots__ = ("peers",)
    PEERS_FIELD_NUMBER: _ClassVar[int]
    peers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, peers: _Optional[_Iterable[str]] = ...) -> None: ...

class ListRefusalsResponse(_message.Message):
    __slots__ = ("peers",)
    PEERS_FIELD_NUMBER: _ClassVar[int]
    peers: _containers.RepeatedCompositeFieldContainer[PeerRefusals]
    def __init__(self, peers: _Optional[_Iterable[_Union[PeerRefusals, _Mapping]]] = ...) -> None: ...

class PeerRefusals(_message.Message):
    __slots__ = ("peer", "refusals")
    PEER_FIELD_NUMBER: _ClassVar[int]
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    peer: str
    refusals: _containers.RepeatedCompositeFieldContainer[Refusal]
    def __init__(self, peer: _Optional[str] = ..., refusals: _Optional[_Iterable[_Union[Refusal, _Mapping]]] = ...) -> None: ...

class Refusal(_message.Message):
    __slots__ = ("outcome", "text", "articles")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ARTICLES_FIELD_NUMBER: _ClassVar[int]
    outcome: Refused
    text: str
    articles: int
    def __init__(self, outcome: _Optional[_Union[Refused, str]] = ..., text: _Optional[str] = ..., articles: _Optional[int] = ...) -> None: ...
