"""Deliveries as octets: what was kept of a message goes out as it is."""

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import add

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime import protowire
from forebay.store.backing.run import Run, Span

DELIVERIES = 1
"""Number of the field `deliveries` in ConsumeResponse, GetResponse and BrowseResponse."""

_FIELDS = {name: field.number for name, field in pb.Delivery.DESCRIPTOR.fields_by_name.items()}
_NUMBER, _REPEATS, _POSITION = (
    protowire.tag(_FIELDS[name], protowire.VARINT) for name in ("number", "deliveries", "position")
)


def deliveries(runs: Sequence[Run], first: int, position: Callable[[Span], int]) -> bytes:
    """A serialised response with these messages, numbered from `first` on; without numbers when that is 0."""
    pieces: list[bytes] = []
    for run in runs:
        if run.contents is not None:
            heads = _heads(run, first, position(run.span))
            part = [b""] * (3 * len(heads))
            part[::3] = map(protowire.opening, repeat(DELIVERIES), map(add, map(len, heads), run.sizes))
            part[1::3] = heads
            part[2::3] = run.contents
            pieces += part
        first += len(run) if first else 0
    return b"".join(pieces)


def _heads(run: Run, first: int, position: int) -> list[bytes]:
    """Of each delivery what stands before the message."""
    count = len(run)
    columns = [protowire.varints(position, count, _POSITION)]
    if first:
        columns.append(protowire.varints(first, count, _NUMBER))
    if run.deliveries:
        columns.append([_REPEATS + protowire.varint(times) for times in run.deliveries])
    columns.append(protowire.openings(_FIELDS["message"], run.sizes))
    return list(map(b"".join, zip(*columns, strict=True)))
