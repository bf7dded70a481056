"""A forwarder's state: whether it gets announces, why not, and how it answers."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
    from forebay.announcer.forwarding.outcome import Cause

_WEIGHT = 0.02
"""What one more response time weighs in their mean."""


class Condition(StrEnum):
    """Whether a forwarder gets announces."""

    ENABLED = "ENABLED"
    SUSPENDED = "SUSPENDED"
    """Not until some time has passed."""
    DISABLED = "DISABLED"
    """Not until a call or a change of its spec."""


class ResponseTimes:
    """Figures of a forwarder's answers. Times are in seconds."""

    def __init__(self) -> None:
        self.mean: float | None = None
        """Exponential mean of the times from request to answer; none: there was no answer yet."""
        self.samples = 0
        self.last_interval: float | None = None
        """The interval of the last answer."""
        self.last_answer: float | None = None
        """When it came."""

    def add(self, seconds: float, interval: float, now: float) -> None:
        """Count an answer that took so long."""
        self.mean = seconds if self.mean is None else self.mean + _WEIGHT * (seconds - self.mean)
        self.samples += 1
        self.last_interval = interval
        self.last_answer = now


class ForwarderState:
    """What is known of one forwarder, under one spec of it. `slot` is its number in the table of torrents."""

    def __init__(self, spec: ForwarderSpec, slot: int, changed: Callable[[], None]) -> None:
        """`changed` is called when it is disabled, suspended or enabled."""
        self.spec = spec
        self.name = spec.name
        self.slot = slot
        self.blocked_until = -math.inf
        """It gets nothing before that; infinite: disabled."""
        self.cause: Cause | None = None
        """Why it was disabled or suspended last."""
        self.reason = ""
        """The same for people."""
        self.failures = 0
        """Failed requests in a row."""
        self.times = ResponseTimes()
        self._changed = changed

    @property
    def disabled(self) -> bool:
        """Whether nothing but a call or a change of its spec brings it back."""
        return self.blocked_until == math.inf

    def condition(self, now: float) -> Condition:
        """Whether it gets announces now."""
        if self.disabled:
            return Condition.DISABLED
        return Condition.SUSPENDED if self.blocked_until > now else Condition.ENABLED

    def disable(self, cause: Cause, reason: str) -> None:
        """It gets nothing more until `enable`. The first reason stays."""
        if not self.disabled:
            self.blocked_until, self.cause, self.reason = math.inf, cause, reason
            self._changed()

    def suspend(self, until: float, cause: Cause, reason: str) -> None:
        """It gets nothing until then; what blocks it for longer already stays."""
        if until > self.blocked_until:
            self.blocked_until, self.cause, self.reason = until, cause, reason
            self._changed()

    def enable(self) -> None:
        """It gets announces again, with no failure counted."""
        self.blocked_until, self.cause, self.reason = -math.inf, None, ""
        self.failures = 0
        self._changed()
