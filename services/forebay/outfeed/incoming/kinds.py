"""Kinds of articles: what an article is, told by its headers and by what its body begins with."""

import re
from collections.abc import Mapping, Sequence

ALL = "all"
LOOKED_AT = 64 * 1024
"""Octets of an article in which its kind shows, if at all."""

_YENC = re.compile(rb"\r\n=ybegin [^\r\n]*line=[^\r\n]*name=")
_UUENCODE = re.compile(rb"\r\nbegin [0-7]{3,4} [^\r\n]+\r\n(?:M[ -`]{60}\r\n|[ -L][ -`]+\r\n[` ]?\r\nend\r\n)")
_BASE64 = re.compile(rb"(?:\r\n[A-Za-z0-9+/]{60,76}){4}")


def kinds_of(headers: Mapping[bytes, bytes], content: bytes) -> frozenset[str]:
    """The kinds of an article, those of `KINDS` that it is. `headers` are by name in small letters."""
    kinds = {ALL}
    control = headers.get(b"control", b"").split(None, 1)
    if control:
        kinds.add("control")
        if control[0].lower() == b"cancel":
            kinds.add("cancel")
    beginning = content[:LOOKED_AT]
    kind = headers.get(b"content-type", b"").lower()
    is_multipart = kind.startswith(b"multipart/")
    if is_multipart:
        kinds.add("multipart")
    if kind.startswith(b"text/html") or (is_multipart and b"\r\ncontent-type: text/html" in beginning.lower()):
        kinds.add("html")
    encodings = _encodings(headers, beginning)
    return frozenset(kinds | encodings | {"binary" if encodings else "text"})


def _encodings(headers: Mapping[bytes, bytes], beginning: bytes) -> set[str]:
    """How files are written in the body. A text in base64 is no file."""
    found = {name for name, looks in _ENCODINGS.items() if looks.search(beginning)}
    is_text = headers.get(b"content-type", b"text/").lower().startswith(b"text/")
    if is_text and headers.get(b"content-transfer-encoding", b"").lower() == b"base64":
        found.discard("base64")
    return found


_ENCODINGS = {"yenc": _YENC, "uuencode": _UUENCODE, "base64": _BASE64}


def wanted(listed: Sequence[str], kinds: frozenset[str]) -> bool:
    """Whether a list of kinds, `!` before what is not wanted, lets an article pass; the last that applies decides."""
    for item in reversed(listed):
        if item.removeprefix("!") in kinds:
            return not item.startswith("!")
    return all(item.startswith("!") for item in listed)
