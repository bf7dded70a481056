"""Header feeds: articles without their bodies, which tell the size that they had."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.msgstore.disk import Buffer
    from forebay.outfeed.sending.feed import Bodies

_BYTES = re.compile(rb"(?i)(?:^|\r\n)bytes: ")


def without_body(wire: Buffer) -> bytes:
    """An article in wire form as its header alone, with a Bytes header where it has none."""
    content = bytes(wire)
    end = content.find(b"\r\n\r\n")
    head = content[: end if end >= 0 else 0]
    size = b"" if _BYTES.search(head) else b"\r\nBytes: %d" % len(content)
    return head + size + b"\r\n\r\n.\r\n"


def without_bodies(articles: Bodies) -> Bodies:
    """Articles, as far as there are any, as their headers alone."""
    return [None if wire is None else without_body(wire) for wire in articles]
