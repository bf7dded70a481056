"""Kinds of articles: what an article is, told by its headers and by what its body begins with."""

import re
from collections.abc import Mapping, Sequence

ALL = "all"
LOOKED_AT = 64 * 1024
"""Octets of an article in which its kind shows, if at all."""

_YENC = re.compile(rb"\r\n=ybegin [^\r\n]*line=[^\r\n]*name=")
_UUENCODE = re.compile(rb"\r\nbegin [0-7]{3,4} [^\r\n]+\r\n(?:M[ -`]{60}\r\n|[ -L][ -`]+\r\n[` ]?\r\nend\r\n)")
# Written so that it begins with fixed octets, which are searched for at once.
_BASE64 = re.compile(rb"\r\n[A-Za-z0-9+/]{60,76}+(?:\r\n[A-Za-z0-9+/]{60,76}+){3}")
_BINHEX = re.compile(rb"\r\n\(This file must be converted with BinHex 4\.0\)\r\n\s*:")
_PGP = re.compile(rb"\r\n-----BEGIN PGP MESSAGE-----\r\n")
_POSTSCRIPT = re.compile(rb"\r\n%!PS-Adobe-")


def kinds_of(headers: Mapping[bytes, bytes], content: bytes) -> frozenset[str]:
    """The kinds of an article. `headers` are by name in small letters."""
    beginning = content[:LOOKED_AT]
    encodings = _encodings(headers, beginning)
    contents = {name for name, looks in _CONTENTS.items() if looks.search(beginning)}
    sort = "binary" if encodings else "text"
    return frozenset({ALL, sort} | _by_headers(headers) | _by_type(headers, beginning) | encodings | contents)


def _by_headers(headers: Mapping[bytes, bytes]) -> set[str]:
    kinds = {kind for name, kind in _BY_HEADER.items() if headers.get(name)}
    if headers.get(b"control", b"").lower().split(None, 1)[:1] == [b"cancel"]:
        kinds.add("cancel")
    return kinds


def _by_type(headers: Mapping[bytes, bytes], beginning: bytes) -> set[str]:
    kind = headers.get(b"content-type", b"").lower()
    kinds = {name for start, name in _BY_TYPE.items() if kind.startswith(start)}
    if "multipart" in kinds and b"\r\ncontent-type: text/html" in beginning.lower():
        kinds.add("html")
    return kinds


def _encodings(headers: Mapping[bytes, bytes], beginning: bytes) -> set[str]:
    """How files are written in the body. A text in base64 is no file."""
    found = {name for name, looks in _ENCODINGS.items() if looks.search(beginning)}
    is_text = headers.get(b"content-type", b"text/").lower().startswith(b"text/")
    if is_text and headers.get(b"content-transfer-encoding", b"").lower() == b"base64":
        found.discard("base64")
    return found


_BY_HEADER = {b"approved": "approved", b"control": "control", b"mime-version": "mime"}
_BY_TYPE = {b"multipart/": "multipart", b"message/partial": "partial", b"text/html": "html"}
_ENCODINGS = {"yenc": _YENC, "uuencode": _UUENCODE, "base64": _BASE64, "binhex": _BINHEX}
_CONTENTS = {"pgp": _PGP, "postscript": _POSTSCRIPT}


def wanted(listed: Sequence[str], kinds: frozenset[str]) -> bool:
    """Whether a list of kinds, `!` before what is not wanted, lets an article pass; the last that applies decides."""
    for item in reversed(listed):
        if item.removeprefix("!") in kinds:
            return not item.startswith("!")
    return all(item.startswith("!") for item in listed)
