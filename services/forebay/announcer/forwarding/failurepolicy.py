"""What follows from a failed request: the failure policy."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from forebay.announcer.forwarding.outcome import Cause
from forebay.announcer.forwarding.retry import COMPLETED_FROM

if TYPE_CHECKING:
    from forebay.announcer.forwarding.outcome import Failure
    from forebay.announcer.forwarding.settings import ForwardingSettings

DISABLING = frozenset({Cause.NAME_UNKNOWN, Cause.CONNECTION_REFUSED, Cause.NO_ROUTE, Cause.REJECTED, Cause.RETRY_NEVER})
"""Causes that time does not mend."""
SHORTEST_SUSPENSION = 10.0
"""Seconds, where the tracker says itself how long it wants to be left alone."""
LONGEST_SUSPENSION = 3600.0
"""Seconds, likewise."""
PAUSE = 60.0
"""Seconds until the torrent of a request that failed for good may be announced to that forwarder again."""


@dataclass(frozen=True, slots=True)
class OwnPolicy:
    """What of the settings is otherwise for one forwarder; None: as they say. Times are in seconds."""

    suspension: float | None = None
    """How long it rests that asks for fewer requests, unless it says itself how long."""
    attempts: int | None = None
    """Times a request is sent before it has failed."""
    retry_base: float | None = None
    """The n-th repetition waits this long times 2 ** n."""
    fail_threshold: int | None = None
    """Failed requests in a row that disable it; 0: never."""

    def over(self, settings: ForwardingSettings) -> ForwardingSettings:
        """The settings, with its own in their place."""
        own = {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}
        return replace(settings, **own) if own else settings


NOTHING_OWN = OwnPolicy()


class Step(Enum):
    """What happens next."""

    DISABLE = auto()
    """The forwarder gets nothing more until it is enabled by a call or its spec changes."""
    SUSPEND = auto()
    """The forwarder gets nothing for some time."""
    RETRY = auto()
    """The same request is sent again after some time."""
    COMPLETE = auto()
    """The job is done, and the torrent is left alone for some time."""
    GIVE_UP = auto()
    """The job has failed, which counts, and the torrent is left alone for some time."""


class Decision(NamedTuple):
    """A step and its time in seconds."""

    step: Step
    seconds: float = 0


def decide(failure: Failure, attempt: int, settings: ForwardingSettings) -> Decision:
    """What follows when the `attempt`-th try, counted from 1, ended like this."""
    if failure.cause in DISABLING:
        return Decision(Step.DISABLE)
    if failure.cause is Cause.TOO_MANY_REQUESTS:
        return Decision(Step.SUSPEND, _suspension(failure, settings))
    if failure.wait is not None:
        return Decision(Step.RETRY if failure.wait < COMPLETED_FROM else Step.COMPLETE, failure.wait)
    if attempt < settings.attempts:
        return Decision(Step.RETRY, settings.retry_base * 2.0**attempt)
    return Decision(Step.GIVE_UP, PAUSE)


def _suspension(failure: Failure, settings: ForwardingSettings) -> float:
    if failure.wait is None:
        return settings.suspension
    return min(LONGEST_SUSPENSION, max(SHORTEST_SUSPENSION, failure.wait))
