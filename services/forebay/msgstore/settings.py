"""Settings of a message store."""

from dataclasses import dataclass

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class StoreSettings:
    """Sizes and bounds of one store; all in octets but where said."""

    file_size: int = 16 * MEBIBYTE
    """A message file that has reached this is closed; the message that crosses it goes into it whole."""
    pending: int = 64 * MEBIBYTE
    """Bodies given to `put` and not yet written; beyond it `put` waits."""
    reserve: int = 32 * MEBIBYTE
    """Free space that `put` leaves alone, so that garbage collection can work on a full disk."""
    open_files: int = 256
    """Files held open at once, beside those being read (a number)."""
