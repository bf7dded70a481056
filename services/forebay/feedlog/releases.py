"""The ownership journal on disk: which peers need which bodies no more, and how far peers are.

    ownership/<number>.journal = header | frames
    release    = "R" | segment (8) | peer (2) | runs: first slot (2), last slot (2) each
    checkpoint = "C" | peer (2) | seq (8)

A release says that bits are clear and never that they are set, so that applying one twice, or one whose segment is
gone, does nothing. Of several journals the one of the highest number counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct, pack, unpack

from forebay.feedlog.frames import BODY_OFFSET, frame
from forebay.feedlog.segmentbits import SegmentBits

KIND = b"FBOJ"
FOLDER = "ownership"

_RELEASE = Struct(">cQH")
_CHECKPOINT = Struct(">cHQ")
_MAX_RUNS = 1 << 12
Run = tuple[int, int]


def journal_name(number: int) -> str:
    """Name of a journal's file."""
    return f"{FOLDER}/{number:010d}.journal"


def journal_number(name: str) -> int | None:
    """The opposite, for a name without its folder; None for any other file."""
    stem, dot, suffix = name.partition(".")
    return int(stem) if dot and suffix == "journal" and stem.isdigit() else None


def runs(slots: Iterable[int]) -> list[Run]:
    """Slots as (start, stop) of their runs."""
    found: list[Run] = []
    start = stop = -1
    for slot in sorted(slots):
        if slot != stop:
            found.append((start, stop))
            start = slot
        stop = slot + 1
    found.append((start, stop))
    return found[1:]


def releases(number: int, peer: int, cleared: Sequence[Run]) -> Iterator[bytes]:
    """Frames that say that these runs of a segment are released by a peer."""
    for first in range(0, len(cleared), _MAX_RUNS):
        ends = [slot for start, stop in cleared[first : first + _MAX_RUNS] for slot in (start, stop - 1)]
        yield frame(_RELEASE.pack(b"R", number, peer) + pack(f">{len(ends)}H", *ends))


def checkpoints(seqs: dict[int, int]) -> Iterator[bytes]:
    """Frames that say how far peers are."""
    return (frame(_CHECKPOINT.pack(b"C", peer, seq)) for peer, seq in seqs.items() if seq >= 0)


def state(segments: Sequence[SegmentBits], seqs: dict[int, int]) -> list[bytes]:
    """Frames that say all there is to say."""
    frames = list(checkpoints(seqs))
    for segment in segments:
        for peer in segment.peers:
            frames += releases(segment.number, peer, segment.clear_runs(peer))
    return frames


def replay(data: bytes, at: int, end: int, segments: dict[int, SegmentBits], seqs: dict[int, int]) -> None:
    """Apply one frame."""
    body = data[at + BODY_OFFSET : end]
    if body[:1] == b"R":
        _, number, peer = _RELEASE.unpack_from(body)
        if segment := segments.get(number):
            ends = unpack(f">{(len(body) - _RELEASE.size) // 2}H", body[_RELEASE.size :])
            for first, last in zip(ends[::2], ends[1::2], strict=True):
                segment.clear_run(peer, first, last + 1)
    elif body[:1] == b"C":
        _, peer, seq = _CHECKPOINT.unpack(body)
        seqs[peer] = seq
