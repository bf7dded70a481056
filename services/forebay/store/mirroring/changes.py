"""What happens to a queue, in the words in which it is told to mirrors.

Only persistent messages are told of: a change of the primary is for the others what a restart is.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, groupby

from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.store.backing.protocol import Insides
from forebay.store.backing.run import Arrival, Run, Span

NOWHERE = bytes(16)
"""Stands for the id of a content that the message store has not."""


def opened(uid: str, insides: Sequence[Insides]) -> pb.QueueChange:
    """There is such a queue; `insides` of all its levels."""
    ahead = [inside.next_seq for inside in sorted(insides, key=lambda inside: inside.level)]
    return pb.QueueChange(uid=uid, opened=pb.MirrorOpened(next=ahead))


def published(uid: str, spans: Sequence[Span], arrivals: Sequence[Arrival]) -> Iterator[pb.QueueChange]:
    """Messages came in and were given these numbers, in the same order."""
    start = 0
    for span in spans:
        stop = start + span.count
        yield from _published(uid, span, arrivals[start:stop])
        start = stop


def _published(uid: str, span: Span, arrivals: Sequence[Arrival]) -> Iterator[pb.QueueChange]:
    first = span.first
    for persistent, group in groupby(arrivals, lambda arrival: arrival.persistent):
        same = list(group)
        if persistent:
            entries = pb.MirrorEntries(
                first=first,
                ids=b"".join([arrival.id for arrival in same]),
                sizes=[len(arrival.content) for arrival in same],
                expiries=_unless_zero([arrival.expiry for arrival in same]),
                bodies=[arrival.content if arrival.embedded else b"" for arrival in same],
            )
            yield pb.QueueChange(uid=uid, level=span.level, published=entries)
        first += len(same)


def copied(uid: str, run: Run) -> Iterator[pb.QueueChange]:
    """Messages that a queue has, their contents in memory, as if they came in now."""
    if not run.persistent or run.contents is None:
        return
    stored = run.stored or bytes(len(run))
    entries = pb.MirrorEntries(
        first=run.first,
        ids=b"".join(run.ids),
        sizes=run.sizes,
        expiries=run.expiries or (),
        bodies=[b"" if out else content for out, content in zip(stored, run.contents, strict=True)],
        deliveries=_unless_zero(handed_out(run)),
    )
    yield pb.QueueChange(uid=uid, level=run.level, published=entries)


def contents(runs: Iterable[Run]) -> Iterator[pb.MirrorContent]:
    """The contents of copied messages that the message store has."""
    for run in runs:
        if run.persistent and run.stored and run.contents is not None:
            for id, data in compress(zip(run.ids, run.contents, strict=True), run.stored):
                yield pb.MirrorContent(id=id, data=data)


def acknowledged(uid: str, runs: Iterable[Run]) -> Iterator[pb.QueueChange]:
    """Messages are done with."""
    for run in runs:
        if run.persistent:
            gone = pb.MirrorAcknowledged(first=run.first, count=len(run), stored=_stored(run))
            yield pb.QueueChange(uid=uid, level=run.level, acknowledged=gone)


def delivered(uid: str, runs: Iterable[Run]) -> Iterator[pb.QueueChange]:
    """Messages were handed out, which counts."""
    for run in runs:
        if not run.persistent:
            continue
        first = run.first
        for times, group in groupby(handed_out(run)):
            count = sum(1 for _ in group)
            yield _delivered(uid, Span(run.level, first, count), times)
            first += count


def _delivered(uid: str, span: Span, times: int) -> pb.QueueChange:
    change = pb.MirrorDelivered(first=span.first, count=span.count, deliveries=times)
    return pb.QueueChange(uid=uid, level=span.level, delivered=change)


def marked(uid: str, name: bytes, value: int) -> pb.QueueChange:
    """A small fact is to be kept."""
    return pb.QueueChange(uid=uid, marked=pb.MirrorMark(name=name, value=value))


def removed(uid: str) -> pb.QueueChange:
    """A queue is gone."""
    return pb.QueueChange(uid=uid, removed=pb.MirrorRemoved())


def handed_out(run: Run) -> list[int]:
    """How often each message was handed out, this time included where it counts."""
    before = run.deliveries or bytes(len(run))
    return [times + run.counted for times in before]


def _stored(run: Run) -> bytes:
    if not run.stored:
        return b""
    return b"".join(id if out else NOWHERE for id, out in zip(run.ids, run.stored, strict=True))


def _unless_zero(numbers: list[int]) -> list[int]:
    return numbers if any(numbers) else []
