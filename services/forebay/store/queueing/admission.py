"""What a queue does with each message of a batch before it takes any: pure, so that all queues can be asked first."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from forebay.store.queueing import limits
from forebay.store.queueing.expiry import at_once
from forebay.store.queueing.intake import Intake
from forebay.store.queueing.limits import Standing
from forebay.store.queueing.spec import QueueSpec


@dataclass(slots=True)
class Admission:
    """Positions of the messages of a batch, each in one of the lists."""

    kept: Sequence[int]
    duplicates: Sequence[int] = ()
    """The queue has had them."""
    expired: Sequence[int] = ()
    """They would have to be delivered at once, and nobody is there."""
    refused: Sequence[int] = ()
    reason: str = ""
    """Why they are refused."""
    broken: bool = False
    """The queue is not at work: another try may go well."""


def admit(
    spec: QueueSpec, intake: Intake, positions: Sequence[int], *, known: Set[int], standing: Standing, takers: int
) -> Admission:
    """Sort the messages that go to a queue.

    known: positions of those that the queue has had. takers: deliveries that consumers are
    waiting for at this moment.
    """
    admission = Admission(positions)
    if known:
        admission.duplicates = [position for position in positions if position in known]
        admission.kept = [position for position in positions if position not in known]
    hurried = at_once(spec.ttl_ms, intake.ttls, admission.kept)
    if hurried:
        _expire(admission, hurried[max(0, takers - standing.ready) :])
    if spec.overflow != "drop-head" and limits.limited(spec):
        _refuse(admission, spec, intake, standing)
    return admission


def _expire(admission: Admission, late: Sequence[int]) -> None:
    if late:
        gone = set(late)
        admission.expired = late
        admission.kept = [position for position in admission.kept if position not in gone]


def _refuse(admission: Admission, spec: QueueSpec, intake: Intake, standing: Standing) -> None:
    kept = admission.kept
    fits = limits.fitting(spec, standing, (intake.sizes[position] for position in kept))
    if fits < len(kept):
        admission.kept, admission.refused, admission.reason = kept[:fits], kept[fits:], limits.reason(spec)
