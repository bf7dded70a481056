"""The records of a segment of the feed log in columns: numpy takes apart all of them at once."""

from collections.abc import Iterator
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from forebay.feedlog.frames import BODY_OFFSET, Gap, sound_runs
from forebay.feedlog.logsegment import SLOT_MASK

Numbers = NDArray[np.int64]
_BODY = np.dtype(
    [("seq", ">u8"), ("arrival", ">u8"), ("size", ">u4"), ("message_id", "u1"), ("group", "u1"), ("peers", "u1")]
)
"""How a record begins, as `logsegment` describes it: the last three are lengths of what follows."""


class LogColumns(NamedTuple):
    """Records in order of their slots; all columns are as long."""

    data: bytes
    """The segment."""
    slots: NDArray[np.uint16]
    begins: Numbers
    """Where in the data each message-id begins, with its angle brackets."""
    ends: Numbers
    bits: NDArray[np.uint8]
    """Of each record the bitmap of its peers, little-endian."""

    def message_ids(self, wanted: list[int]) -> Iterator[bytes]:
        """The message-ids of the records for which there is something other than 0."""
        places = zip(self.begins.tolist(), self.ends.tolist(), strict=True)
        return (self.data[begin:end] for begin, end in compress(places, wanted))


def columns_of(data: bytes, gaps: list[Gap], start: int) -> LogColumns:
    """The sound records of a segment, from `start` on; what lies between them is added to `gaps`."""
    octets = np.frombuffer(data, np.uint8)
    # The last of a run is where it ends.
    runs = [np.array(run[:-1], np.int64) for run in sound_runs(data, gaps, start)]
    bodies = np.concatenate([np.empty(0, np.int64), *runs]) + BODY_OFFSET
    heads = _taken(octets, bodies, _BODY.itemsize).view(_BODY).reshape(-1)
    begins = bodies + _BODY.itemsize
    ends = begins + heads["message_id"]
    slots = (heads["seq"] & SLOT_MASK).astype(np.uint16)
    return LogColumns(data, slots, begins, ends, _bitmaps(octets, ends + heads["group"], heads["peers"]))


def _bitmaps(octets: NDArray[np.uint8], places: Numbers, widths: NDArray[np.uint8]) -> NDArray[np.uint8]:
    bitmaps = np.zeros((len(places), int(widths.max(initial=1))), np.uint8)
    for width in np.unique(widths[widths > 0]).tolist():
        rows = np.flatnonzero(widths == width)
        bitmaps[rows, :width] = _taken(octets, places[rows], width)
    return bitmaps


def _taken(octets: NDArray[np.uint8], places: Numbers, count: int) -> NDArray[np.uint8]:
    """So many octets from each place on."""
    if not len(places):
        return np.empty((0, count), np.uint8)
    taken: NDArray[np.uint8] = sliding_window_view(octets, count)[places]
    return taken
