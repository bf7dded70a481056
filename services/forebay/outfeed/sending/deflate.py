"""Compression of a connection: raw DEFLATE both ways, each batch complete when it is written (RFC 8054)."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from forebay.outfeed.errors import CompressionError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forebay.msgstore.disk import Buffer

LEVEL = 3
"""Of zlib: most of what is to be saved on text, at a third of the time of its default."""
LARGEST = 1 << 22
"""Octets that one read may unpack to. Replies need few; more is an attempt to drown us."""


class Deflate:
    """The state of both directions, which lasts as long as the connection."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._unpacker = zlib.decompressobj(-zlib.MAX_WBITS)

    def pack(self, batch: Iterable[Buffer]) -> bytes:
        """What is to be written, so that the peer can read all of it at once."""
        packed = [self._packer.compress(part) for part in batch]
        packed.append(self._packer.flush(zlib.Z_SYNC_FLUSH))
        return b"".join(packed)

    def unpack(self, data: bytes) -> bytes:
        """What was read. Raises `CompressionError`."""
        try:
            plain = self._unpacker.decompress(data, LARGEST)
        except zlib.error as error:
            raise CompressionError(f"the peer sent what is not compressed: {error}") from error
        if len(plain) >= LARGEST:
            raise CompressionError("the peer sent more at once than replies need")
        return plain
