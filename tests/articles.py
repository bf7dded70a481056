"""An article as a test holds it, and its form on the wire."""

from typing import NamedTuple


class Article(NamedTuple):
    """`content` has CRLF line ends, is not dot-stuffed and ends in CRLF."""

    message_id: bytes
    content: bytes

    @property
    def wire(self) -> bytes:
        """The article as TAKETHIS sends it (RFC 3977, section 3.1.1)."""
        return stuff(self.content)


def stuff(content: bytes) -> bytes:
    """Double the leading dots and add the final line."""
    text = b"." + content if content.startswith(b".") else content
    return text.replace(b"\r\n.", b"\r\n..") + b".\r\n"


def unstuff(wire: bytes) -> bytes:
    """Undo `stuff`."""
    text = wire.removesuffix(b".\r\n").replace(b"\r\n..", b"\r\n.")
    return text[1:] if text.startswith(b"..") else text


def without_path(content: bytes) -> bytes:
    """The article without its Path header and Xref, the two that a server may rewrite (RFC 5537, section 3.6)."""
    head, separator, body = content.partition(b"\r\n\r\n")
    kept: list[bytes] = []
    dropping = False
    for line in head.split(b"\r\n"):
        dropping = dropping if line[:1] in (b" ", b"\t") else line.lower().startswith((b"path:", b"xref:"))
        if not dropping:
            kept.append(line)
    return b"\r\n".join(kept) + separator + body
