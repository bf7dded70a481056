"""What the rounds make durable, cut into requests of a size that streams carry well."""

from collections.abc import Iterator, Sequence

from forebay.msgstore import Put
from forebay.pb.store.v1 import mirror_pb2 as pb

OCTETS = 1 << 20
"""Octets of a request, about; a single larger change or content goes alone."""


def contents_of(puts: Sequence[Put]) -> list[pb.MirrorContent]:
    """Contents as the message store gets them."""
    return [pb.MirrorContent(id=put.id, data=b"".join(map(bytes, put.parts))) for put in puts]


def requests(
    step: int, contents: Sequence[pb.MirrorContent], told: Sequence[pb.QueueChange], *, complete: bool = False
) -> Iterator[pb.FollowRequest]:
    """A step as requests, the contents first. The last one ends the step. What has nothing to say has one too."""
    request, octets = pb.FollowRequest(), 0
    for field, items in (("contents", contents), ("changes", told)):
        for item in items:
            size = item.ByteSize()
            if octets and octets + size > OCTETS:
                yield request
                request, octets = pb.FollowRequest(), 0
            getattr(request, field).append(item)
            octets += size
    request.step, request.complete = step, complete
    yield request
