"""Info hashes: 20 octets that name a torrent."""

LENGTH = 20
"""Octets."""


def from_hex(text: str) -> bytes | None:
    """The octets that 40 hexadecimal digits stand for; None for any other text."""
    if len(text) != 2 * LENGTH or not text.isascii() or not text.isalnum():
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None
