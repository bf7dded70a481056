"""Dead letters: what a message becomes when its queue lets go of it unwanted, and where it may not go again."""

from collections.abc import Iterable, Sequence

from forebay.pb.store.v1 import store_pb2 as pb

REJECTED = pb.DEATH_REASON_REJECTED
EXPIRED = pb.DEATH_REASON_EXPIRED
MAXLEN = pb.DEATH_REASON_MAXLEN
DELIVERY_LIMIT = pb.DEATH_REASON_DELIVERY_LIMIT

Reason = pb.DeathReason


def letter(content: bytes, queue: str, reason: Reason, address: str, now_ms: int) -> pb.Message:
    """The message that is published in place of one that a queue lets go of.

    content: the message as it was kept. It loses its time to live, which the history tells, and goes to `address`.
    """
    message = pb.Message.FromString(content)
    message.ClearField("publisher")
    message.ClearField("number")
    death = _death(message.deaths, queue, reason, now_ms)
    death.count += 1
    death.last_ms = now_ms
    death.address = message.address
    death.ClearField("original_ttl_ms")
    if message.HasField("ttl_ms"):
        death.original_ttl_ms = message.ttl_ms
        message.ClearField("ttl_ms")
    others = [each for each in message.deaths if (each.queue, each.reason) != (queue, reason)]
    message.address = address
    history = pb.Message(deaths=[death, *others])
    message.ClearField("deaths")
    message.MergeFrom(history)
    return message


def _death(deaths: Iterable[pb.Death], queue: str, reason: Reason, now_ms: int) -> pb.Death:
    """A copy of what the history has of this queue and reason."""
    death = pb.Death(queue=queue, reason=reason, first_ms=now_ms)
    for each in deaths:
        if (each.queue, each.reason) == (queue, reason):
            death.CopyFrom(each)
    return death


def cycles(deaths: Sequence[pb.Death], queue: str) -> bool:
    """Whether a letter would go round to a queue that it has left, without anybody having rejected it on the way."""
    for place, death in enumerate(deaths):
        if death.queue == queue:
            return all(each.reason != REJECTED for each in deaths[: place + 1])
    return False


def origin(content: bytes) -> tuple[bytes, int]:
    """Name of the publisher of a message as it was kept, and its number."""
    message = pb.Message.FromString(content)
    return message.publisher.encode(), message.number
