"""What requests ask for, in the terms of the node."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.clients.subscriberqueue import Slow
from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.declarations.quality import Told
from forebay.conduit.core.wire.declarations import PERIODIC, Period, SubscriptionMode
from forebay.conduit.core.wire.properties import Durability
from forebay.conduit.errors import invalid
from forebay.conduit.node import PublisherWish
from forebay.pb.conduit.v1 import conduit_pb2 as pb

if TYPE_CHECKING:
    from google.protobuf.duration_pb2 import Duration

    from forebay.conduit.settings import ClientSettings

LONGEST_SECONDS = 365 * 86_400
CONGESTIONS = {
    pb.CONGESTION_BLOCK: Congestion.BLOCK,
    pb.CONGESTION_DROP: Congestion.DROP,
    pb.CONGESTION_ERROR: Congestion.ERROR,
    pb.CONGESTION_SPILL: Congestion.SPILL,
}
SLOW = {
    pb.SLOW_UNSPECIFIED: Slow.END,
    pb.SLOW_END: Slow.END,
    pb.SLOW_DROP: Slow.DROP,
    pb.SLOW_HOLD: Slow.HOLD,
}
DURABILITIES = {
    pb.DURABILITY_UNSPECIFIED: None,
    pb.DURABILITY_VOLATILE: Durability.VOLATILE,
    pb.DURABILITY_TRANSIENT: Durability.TRANSIENT,
    pb.DURABILITY_PERSISTENT: Durability.PERSISTENT,
}


def resource_of(request: pb.DeclarePublisherRequest | pb.DeclareSubscriberRequest) -> int | str:
    """The id, or the URI. Raises `InvalidArgumentError`."""
    match request.WhichOneof("resource"):
        case "uri":
            return request.uri
        case "rid":
            return request.rid
        case _:
            raise invalid("resource", "is missing: give uri or rid")


def told_of(request: pb.DeclareResourceRequest) -> Told:
    """What is told of a resource. Raises `InvalidArgumentError`."""
    if request.durability not in DURABILITIES:
        raise invalid("durability", f"is {request.durability}: give one of the enumeration")
    return Told(request.reliable if request.HasField("reliable") else None, DURABILITIES[request.durability])


def publisher_of(request: pb.DeclarePublisherRequest, defaults: ClientSettings) -> PublisherWish:
    """Which publisher is wanted. Raises `InvalidArgumentError`."""
    congestion = defaults.congestion
    if request.congestion:
        if request.congestion not in CONGESTIONS:
            raise invalid("congestion", f"is {request.congestion}: give one of the enumeration")
        congestion = CONGESTIONS[request.congestion]
    deadline = seconds("deadline", request.deadline) or inf if request.HasField("deadline") else defaults.deadline
    return PublisherWish(
        resource=resource_of(request),
        conduit=request.conduit,
        reliable=request.reliable if request.HasField("reliable") else None,
        congestion=congestion,
        deadline=deadline,
        switching=request.switching,
        history=request.history,
    )


def mode_of(request: pb.DeclareSubscriberRequest) -> tuple[SubscriptionMode, Period | None]:
    """How a subscriber gets samples, and when. Raises `InvalidArgumentError`."""
    try:
        mode = SubscriptionMode(request.mode or SubscriptionMode.PUSH)
    except ValueError:
        raise invalid("mode", f"is {request.mode}: give one of the enumeration") from None
    if mode not in PERIODIC:
        return mode, None
    period = Period(*(_milliseconds(request.period, name) for name in ("origin", "period", "duration")))
    if not 0 < period.duration < period.period:
        raise invalid(
            "period", f"is {period.period} ms with a duration of {period.duration} ms: give more than 0, and less of it"
        )
    return mode, period


def queue_of(request: pb.DeclareSubscriberRequest, most: int) -> tuple[int, Slow]:
    """How many samples may wait, and what becomes of more. Raises `InvalidArgumentError`."""
    if request.queued_samples > most:
        raise invalid("queued_samples", f"is {request.queued_samples}, above limits.queuedSamples, which is {most}")
    if request.slow not in SLOW:
        raise invalid("slow", f"is {request.slow}: give one of the enumeration")
    return request.queued_samples or most, SLOW[request.slow]


def seconds(field: str, duration: Duration) -> float:
    """A length of time. Raises `InvalidArgumentError`."""
    length = duration.ToNanoseconds() / 1e9
    if not 0 <= length <= LONGEST_SECONDS:
        raise invalid(field, f"is {length:g} s: give 0 to {LONGEST_SECONDS} s")
    return length


def _milliseconds(period: pb.Period, name: str) -> int:
    return round(seconds(f"period.{name}", getattr(period, name)) * 1000)
