"""Articles: what is offered is checked against RFC 5536 and brought into the form that is stored and sent.

Nothing is ever rewritten: the octets that came are the octets that go on, but for the doubling of leading dots.
Where the RFCs are stricter than what the world's servers pass on, the world is followed:

- only CRLF ends a line. A bare LF or a NUL anywhere is refused, for one server's text is another server's header then;
- a bare CR is text and passes, and so does a continuation line of white space only;
- lines may have any length; only the whole header and the whole article are limited;
- a header needs a name of printable ASCII, a colon and a space;
- a mandatory header, and one that outfeed acts upon, needs a body and may appear once only; others may be empty and
  appear any number of times;
- text above ASCII passes in every header body, whatever its character set.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, NoReturn

from forebay.outfeed.errors import ArticleError
from forebay.outfeed.incoming.dates import parse_date
from forebay.outfeed.token import message_key

TERMINATOR = b"\r\n.\r\n"
MESSAGE_ID_OCTETS = 250
"""RFC 3977 section 3.6."""

_HAS_BARE_LF = "article has a bare LF: lines end in CRLF"
_QUOTED_OCTETS = 60
_CACHED_OCTETS = 1000

# Each looks for a literal first, which makes it as fast as a search for that alone: of the body only the line ends are
# looked at, of the header only the beginnings of lines.
_BARE_LF = re.compile(rb"\n(?<!\r\n)")
_BARE_LF_OR_DOT = re.compile(rb"\n(?:\.|(?<!\r\n))")
_BARE_LF_OR_END = re.compile(rb"\n(?:\.\r\n|(?<!\r\n))")
_NAME = rb"[!-9;-~]+"
_BODY = rb"[^\r]*(?:\r(?:\n[ \t]|(?!\n))[^\r]*)*"
_FAULTY_LINE = re.compile(rb"\r\n(?!" + _NAME + rb": |[ \t])")
_KNOWN = re.compile(
    rb"(?i)\r\n(date|from|message-id|newsgroups|path|subject|distribution|injection-date): (" + _BODY + rb")"
)
_MANDATORY = itemgetter(b"date", b"from", b"message-id", b"newsgroups", b"path", b"subject")
_MESSAGE_ID = re.compile(rb"<[!-;=?A-~]+@[!-;=?A-~]+>")


@dataclass(frozen=True, slots=True)
class ArticleLimits:
    """What an article may measure."""

    article_octets: int = 1_000_000
    """Octets of the whole article in wire form. Larger ones are refused."""
    header_octets: int = 65_536
    """Octets of all header lines together. Larger ones are refused."""
    groups: int = 100
    """Newsgroups it may be posted to. More are refused."""


class Article(NamedTuple):
    """An article that was found good."""

    message_id: bytes
    """With its angle brackets."""
    key: bytes
    """16 octets made of the message-id."""
    groups: tuple[bytes, ...]
    """From Newsgroups, at least one, none twice."""
    distributions: tuple[bytes, ...]
    """From Distribution, often empty."""
    path: bytes
    """The body of Path."""
    date_ms: int | None
    """Of Injection-Date, else of Date, in milliseconds since the epoch; None when that is no date."""
    wire: bytes
    """As it is stored and sent: leading dots doubled, ending in CRLF, dot, CRLF."""

    @property
    def size(self) -> int:
        """Octets in wire form."""
        return len(self.wire)


def parse(content: bytes, *, limits: ArticleLimits, wire: bool) -> Article:
    """Check one article and read from it what outfeed needs.

    `content` is in wire form (RFC 3977 section 3.1.1, with the final dot) when `wire` is true, else plain: lines that
    end in CRLF, dots as written. Raises `ArticleError`.
    """
    stored = _checked_wire(content) if wire else _dots_doubled(content)
    block = _header_block(stored, limits)
    if faulty := _FAULTY_LINE.search(block):
        _refuse_line(block[faulty.end() :].partition(b"\r\n")[0])
    found = _KNOWN.findall(block)
    known = {name.lower(): body.strip() for name, body in found}
    if len(known) != len(found) or not all(known.values()):
        _refuse_headers(found)
    try:
        date, _, message_id, newsgroups, path, _ = _MANDATORY(known)
    except KeyError as missing:
        raise ArticleError(f"header {_title(missing.args[0])} is missing") from None
    if problem := message_id_problem(message_id):
        raise ArticleError(problem)
    return Article(
        message_id,
        message_key(message_id),
        _groups(newsgroups, limits.groups),
        _names(known.get(b"distribution", b"")),
        path,
        parse_date(known.get(b"injection-date", date)),
        stored,
    )


def message_id_problem(message_id: bytes) -> str:
    """Why this is no message-id, or nothing if it is one: RFC 5536 section 3.1.3, any printable ASCII around the @."""
    if len(message_id) > MESSAGE_ID_OCTETS:
        return f"Message-ID of {len(message_id)} octets is over the limit of {MESSAGE_ID_OCTETS}"
    if _MESSAGE_ID.fullmatch(message_id) is None:
        return "Message-ID has a syntax error"
    return ""


def _checked_wire(content: bytes) -> bytes:
    found = _BARE_LF_OR_END.search(content)
    if found and found.group() == b"\n":
        raise ArticleError(_HAS_BARE_LF)
    # A terminator before the end would let the rest pass for commands at a peer.
    if not found or found.end() < len(content) or not content.endswith(TERMINATOR) or content.startswith(b".\r\n"):
        raise ArticleError("article is empty or does not end with its first terminating dot")
    return content


def _dots_doubled(content: bytes) -> bytes:
    if not content:
        raise ArticleError("article is empty")
    if not content.endswith(b"\r\n"):
        raise ArticleError("last line does not end in CRLF")
    if _BARE_LF_OR_DOT.search(content) is None and not content.startswith(b"."):
        return content + b".\r\n"
    if _BARE_LF.search(content):
        raise ArticleError(_HAS_BARE_LF)
    return (b"\r\n" + content).replace(b"\r\n.", b"\r\n..")[2:] + b".\r\n"


def _header_block(stored: bytes, limits: ArticleLimits) -> bytes:
    """The header lines as they were written, a CRLF before each."""
    if len(stored) > limits.article_octets:
        raise ArticleError(f"article of {len(stored)} octets is over the limit of {limits.article_octets}")
    if b"\0" in stored:
        raise ArticleError("article has a NUL octet")
    end = stored.find(b"\r\n\r\n")
    if stored.startswith(b"\r\n"):
        raise ArticleError("article is empty" if stored == TERMINATOR else "article has no headers")
    if end < 0:
        raise ArticleError("article has no blank line after its headers, so no body")
    if end > limits.header_octets:
        raise ArticleError(f"headers of {end} octets are over the limit of {limits.header_octets}")
    block = b"\r\n" + stored[:end]
    if b"\r\n." in block:
        block = block.replace(b"\r\n.", b"\r\n")
    if block[2] in b" \t":
        raise ArticleError("first header line is a continuation line")
    return block


def _refuse_line(line: bytes) -> NoReturn:
    name, colon, _ = line.partition(b":")
    if not colon:
        raise ArticleError(f"header line without a colon: {_quoted(line)}")
    if name.endswith((b" ", b"\t")):
        raise ArticleError(f"header {_quoted(name.rstrip())} has white space before its colon")
    if re.fullmatch(_NAME, name) is None:
        raise ArticleError(f"header name is not printable ASCII: {_quoted(name)}")
    raise ArticleError(f"header {_quoted(name)} has no space after its colon")


def _refuse_headers(found: list[tuple[bytes, bytes]]) -> NoReturn:
    ((name, times),) = Counter(name.lower() for name, _ in found).most_common(1)
    if times > 1:
        raise ArticleError(f"header {_title(name)} appears more than once")
    empty = [name for name, body in found if not body.strip()]
    raise ArticleError(f"header {_title(empty[0])} is empty")


def _groups(value: bytes, limit: int) -> tuple[bytes, ...]:
    groups = _names(value)
    if not groups:
        raise ArticleError("header Newsgroups names no group")
    if len(groups) > limit:
        raise ArticleError(f"header Newsgroups names {len(groups)} groups, over the limit of {limit}")
    return groups


def _names(value: bytes) -> tuple[bytes, ...]:
    """A comma list. The same value yields the same object, so that what is looked up by it is found fast."""
    return _kept_names(value) if len(value) <= _CACHED_OCTETS else _split_names(value)


def _split_names(value: bytes) -> tuple[bytes, ...]:
    names = tuple(dict.fromkeys(name for part in value.split(b",") if (name := part.strip())))
    for name in names:
        if len(name.split()) > 1:
            raise ArticleError(f"Newsgroups or Distribution has white space within a name: {_quoted(name)}")
    return names


_kept_names = lru_cache(8192)(_split_names)


def _title(name: bytes) -> str:
    return name.decode("ascii").title().replace("-Id", "-ID")


def _quoted(text: bytes) -> str:
    """What was offered, fit for a reply line and a log: short printable ASCII."""
    shown = text[:_QUOTED_OCTETS].decode("ascii", "replace")
    return "".join(character if " " <= character <= "~" else "?" for character in shown)
