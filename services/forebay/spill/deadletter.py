"""Dead letters: entries given up, with the reason, as one entry of the stream X."""

from struct import Struct
from typing import NamedTuple

from forebay.spill.errors import SpillAnswerError

_HEAD = Struct(">QHH")
MAX_TRIES = 0xFFFF
MAX_REASON = 1024


class DeadLetter(NamedTuple):
    """One entry that was given up."""

    data: bytes
    """The entry as it was."""
    reason: str
    """Why; at most 1,024 octets are kept."""
    tries: int
    time: int
    """When it was given up, milliseconds since the epoch."""
    id: bytes = b""
    """Its place: in R when it is given up from there, in the dead letters when they are listed."""

    def encode(self) -> bytes:
        """Time, tries and length of the reason (>QHH), the reason, the entry."""
        reason = self.reason.encode()[:MAX_REASON].decode(errors="ignore").encode()
        return _HEAD.pack(self.time, min(self.tries, MAX_TRIES), len(reason)) + reason + self.data


def decode(entry_id: bytes, data: bytes) -> DeadLetter:
    """Read an entry of X. Raises `SpillAnswerError` when it is no dead letter."""
    if len(data) < _HEAD.size:
        raise SpillAnswerError(f"dead letter {entry_id.decode()} has {len(data)} octets, too few to be one")
    time, tries, length = _HEAD.unpack_from(data)
    end = _HEAD.size + length
    return DeadLetter(data[end:], data[_HEAD.size : end].decode(errors="replace"), tries, time, entry_id)
