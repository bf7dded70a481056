"""The penalty: what a failed request costs the forwarder itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.announcer.forwarding.failurepolicy import Step
from forebay.announcer.forwarding.outcome import Cause

if TYPE_CHECKING:
    from forebay.announcer.forwarding.failurepolicy import Decision
    from forebay.announcer.forwarding.forwarderstate import ForwarderState
    from forebay.announcer.forwarding.outcome import Failure


def impose(decision: Decision, failure: Failure, forwarder: ForwarderState, threshold: int, now: float) -> None:
    """Disable or suspend it where that was decided, or count the failure.

    `threshold`: failures in a row that disable it; 0: never.
    """
    if decision.step is Step.DISABLE:
        forwarder.disable(failure.cause, failure.reason)
    elif decision.step is Step.SUSPEND:
        forwarder.suspend(now + decision.seconds, failure.cause, failure.reason)
    # A name server that is away says nothing about the tracker.
    elif decision.step is Step.GIVE_UP and failure.cause is not Cause.NAME_SERVER_AWAY:
        _count(failure, forwarder, threshold)


def _count(failure: Failure, forwarder: ForwarderState, threshold: int) -> None:
    forwarder.failures += 1
    if 0 < threshold <= forwarder.failures:
        reason = f"{forwarder.failures} requests in a row failed; the last: {failure.reason}"
        forwarder.disable(Cause.TOO_MANY_FAILURES, reason)
