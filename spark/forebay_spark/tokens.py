"""Tokens of outfeed, many at once: what the entries of a spill stream say of articles, as arrays.

An entry is a head (sequence number, arrival, size, tries; big-endian) and the article's message-id.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEAD = np.dtype([("seq", ">u8"), ("arrival", ">u8"), ("size", ">u4"), ("tries", ">u2")])
TRIES = slice(20, 22)
"""Where the tries lie in an entry."""
MOST = np.uint64(2**63 - 1)


def heads_of(entries: Sequence[bytes]) -> NDArray[Any]:
    """The heads of entries, of dtype `HEAD`; one too short for a token is filled up with zeros."""
    size = HEAD.itemsize
    joined = b"".join([entry[:size] if len(entry) >= size else entry.ljust(size, b"\0") for entry in entries])
    return np.frombuffer(joined, HEAD)


def signed(numbers: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Numbers of 64 bits as Spark can hold them: what no clock and no log reaches becomes the largest."""
    return np.minimum(numbers, MOST).astype(np.int64)


def message_id(entry: bytes) -> bytes:
    """The message-id of an entry; empty when it is no token."""
    return entry[HEAD.itemsize :]


def with_tries(entry: bytes, tries: int) -> bytes:
    """The same token with another number of tries."""
    return entry[: TRIES.start] + tries.to_bytes(2, "big") + entry[TRIES.stop :]
