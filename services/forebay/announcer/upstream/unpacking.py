"""Unpacking of compressed bodies, bounded."""

import zlib

_GZIP_MAGIC = b"\x1f\x8b"
_ANY_HEADER = zlib.MAX_WBITS | 32


class TooLongError(ValueError):
    """What comes out is longer than allowed."""


def unpack(body: bytes, encoding: str, longest: int) -> bytes:
    """The body as it was before `encoding`, its Content-Encoding; gzip also where no encoding is named.

    Raises `TooLongError` when it has more than `longest` octets then, `ValueError` when it cannot be unpacked.
    """
    if body.startswith(_GZIP_MAGIC) or encoding.strip().lower() in ("gzip", "x-gzip", "deflate"):
        return _inflate(body, longest)
    return body


def _inflate(body: bytes, longest: int) -> bytes:
    inflater = zlib.decompressobj(_ANY_HEADER)
    try:
        plain = inflater.decompress(body, longest + 1)
    except zlib.error as error:
        raise ValueError(f"the answer cannot be unpacked: {error}") from error
    if len(plain) > longest:
        raise TooLongError(f"the answer has more than {longest} octets")
    if not inflater.eof:
        raise ValueError("the answer cannot be unpacked: its end is missing")
    return plain
