"""What a peer wants: newsgroups, distributions, kinds of articles, shares of all."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import NotAbove, Rule, SomePositive
from forebay.api.v1alpha1.metadata import BLANKS
from forebay.api.values import Flag, Text, Whole

Pattern = Annotated[
    str,
    Text(
        # One way alone to match any text, or a long one could take for ever.
        rf"^[!@]?(\\[^{BLANKS}]|\[\^?(\]|[^\]{BLANKS},^])[^\]{BLANKS},]*\]|[^{BLANKS},\\\[!@])+$",
        "one pattern an item, as misc.*, !misc.jobs or @*.binaries, each [ with its ]",
        longest=512,
    ),
]
Distribution = Annotated[str, Text(rf"^!?[^{BLANKS},!@/]+$", "one distribution an item, as world or !local")]
ArticleType = Annotated[
    str,
    Text(
        r"^!?(all|approved|binary|base64|binhex|cancel|control|html|mime|multipart|partial|pgp|postscript|text|uuencode|yenc)$",
        "all, text, binary, yenc, uuencode, base64, binhex, mime, multipart, partial, html, pgp, postscript, control, "
        "cancel or approved; ! before what is not wanted",
    ),
]
PathIdentity = Annotated[str, Text(r"^[0-9A-Za-z._:-]+$", "a path identity, as news.example.com")]


class Originators(Model):
    """Who may have injected an article: the first word of its Injection-Info header, else of X-Trace."""

    rules: ClassVar[tuple[Rule, ...]] = (SomePositive("patterns"),)

    patterns: Annotated[Items[Pattern], Field(min_length=1)]
    """Patterns of names, as uwildmat: the last that matches decides, and with `!` or `@` before it, it leaves out."""
    unnamed: Flag = False
    """Whether articles that tell no originator are sent too."""


class HashMethod(StrEnum):
    """How a message-id is hashed."""

    MD5 = "md5"
    """32 bits of its MD5."""
    SUM = "sum"
    """The sum of its octets, as old servers have it, whose shares are uneven."""


class HashShare(Model):
    """A share of all articles, by their message-ids: those whose hash modulo `modulus`, plus one, is in a range."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("first", "last"), NotAbove("last", "modulus"))

    first: Annotated[int, Whole(1, 1_000_000, "")]
    """First of the range."""
    last: Annotated[int, Whole(1, 1_000_000, "")]
    """Last of the range."""
    modulus: Annotated[int, Whole(1, 1_000_000, "")]
    """How many there are."""
    offset: Annotated[int, Whole(0, 12, "octets")] = 0
    """Which 32 bits of the MD5 of the message-id are the hash: the lowest, or those so many octets higher."""
    method: HashMethod = HashMethod.MD5
    """What is hashed how: 32 bits of the MD5 of the message-id (`md5`), or the sum of its octets (`sum`), with which
    shares are uneven, for peers that share with servers of old."""


class HashRange(HashShare):
    """A share of all articles, by their message-ids, and further ones."""

    further: Annotated[Items[HashShare], Field(max_length=50)] = ()
    """Shares that the peer gets too."""
