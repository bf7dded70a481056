"""What came of a request to an upstream tracker: its answer, or a failure with its cause."""

from dataclasses import dataclass
from enum import StrEnum


class Cause(StrEnum):
    """Why a request failed, or why a forwarder is disabled or suspended."""

    NAME_UNKNOWN = "NAME_UNKNOWN"
    """There is no such host."""
    NAME_SERVER_AWAY = "NAME_SERVER_AWAY"
    """Nobody could be asked for the address of its host."""
    CONNECTION_REFUSED = "CONNECTION_REFUSED"
    """Nobody listens there."""
    NO_ROUTE = "NO_ROUTE"
    """No way leads there."""
    REJECTED = "REJECTED"
    """HTTP 400, 403 or 404: it does not want us, or is none."""
    RETRY_NEVER = "RETRY_NEVER"
    """It said `retry in` never."""
    TOO_MANY_REQUESTS = "TOO_MANY_REQUESTS"
    """HTTP 429."""
    SERVER_ERROR = "SERVER_ERROR"
    """Any other HTTP status that is no success."""
    CONNECTION_LOST = "CONNECTION_LOST"
    """The connection could not be made or broke, for any other reason."""
    TIMEOUT = "TIMEOUT"
    """It took too long."""
    BAD_ANSWER = "BAD_ANSWER"
    """What it said is no tracker's answer."""
    FAILURE_REASON = "FAILURE_REASON"
    """It said why it failed."""
    INTERNAL = "INTERNAL"
    """A fault of ours; the log tells more."""
    TOO_MANY_FAILURES = "TOO_MANY_FAILURES"
    """So many requests in a row failed that it was disabled."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A tracker's answer. Peers are compact: 4 or 16 octets of address and 2 of port each."""

    interval: float
    """Seconds to the next announce, within reason."""
    peers: bytes = b""
    """IPv4 peers, 6 octets each."""
    peers6: bytes = b""
    """IPv6 peers, 18 octets each."""
    complete: int | None = None
    """Seeders; none: not told."""
    incomplete: int | None = None
    """Leechers; none: not told."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that failed."""

    cause: Cause
    """Why, for programs."""
    reason: str
    """Why, for people; the tracker's own words where it said something."""
    wait: float | None = None
    """Seconds that the tracker wants to be left alone; infinite: for ever; none: not told."""


Outcome = Answer | Failure
