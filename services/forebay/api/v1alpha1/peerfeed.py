"""Peerfeed: one peer that an Outfeed sends to, and what it wants."""

from datetime import timedelta
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Differ, Distinct, ExactlyOne, Immutable, NotAbove, Rule, SomePositive, Transition
from forebay.api.v1alpha1.metadata import BLANKS, WORD, Reference, Resource, SecretReference
from forebay.api.v1alpha1.service import Port
from forebay.api.values import Flag, Number, Size, Span, Text, Whole

Host = Annotated[
    str,
    Text(
        r"^([0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*)$",
        "a host name or an IP address; the port has a field of its own",
    ),
]
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
        r"^!?(all|binary|base64|cancel|control|html|multipart|text|uuencode|yenc)$",
        "all, text, binary, yenc, uuencode, base64, multipart, html, control or cancel; ! before what is not wanted",
    ),
]
PathIdentity = Annotated[str, Text(r"^[0-9A-Za-z._:-]+$", "a path identity, as news.example.com")]


class PasswordSource(Model):
    """Where a password is."""

    secret_ref: SecretReference
    """The key of a Secret whose value is the password."""


class Auth(Model):
    """How we make ourselves known to the peer: AUTHINFO USER and PASS of RFC 4643."""

    username: Annotated[str, Text(WORD, "a user name without blanks", longest=128)]
    """The user name."""
    password_from: PasswordSource
    """Where the password is."""


class Connections(Model):
    """Connections to the peer."""

    max: Annotated[int, Whole(1, 100, "connections")] = 2
    """Most at once. They are opened as there is something to send."""


class NoCheck(Model):
    """When articles go out by TAKETHIS without a CHECK before: while the peer takes nearly all."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("low", "high"),)

    enabled: Flag = True
    """Whether CHECK may be left out."""
    high: Annotated[float, Number(0, 100, "%")] = 95.0
    """Share of articles that the peer takes, above which CHECK is left out."""
    low: Annotated[float, Number(0, 100, "%")] = 90.0
    """Share of articles that the peer takes, below which CHECK comes back."""
    filter: Annotated[float, Number(1, 10_000, "answers")] = 50.0
    """How many of the last answers count, about."""


class HashRange(Model):
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


class Originators(Model):
    """Who may have injected an article: the first word of its Injection-Info header, else of X-Trace."""

    rules: ClassVar[tuple[Rule, ...]] = (SomePositive("patterns"),)

    patterns: Annotated[Items[Pattern], Field(min_length=1)]
    """Patterns of names, as uwildmat: the last that matches decides, and with `!` or `@` before it, it leaves out."""
    unnamed: Flag = False
    """Whether articles that tell no originator are sent too."""


class Queue(Model):
    """Articles that wait in memory."""

    size: Annotated[int, Whole(10, 1_000_000, "articles")] = 2000
    """Most articles."""
    spill_fraction: Annotated[float, Number(0.05, 1, "")] = 0.5
    """Part of a full queue, the oldest, that goes to the backlog at once."""


class PeerBacklog(Model):
    """Articles that wait on Redis."""

    rotate_bytes: Annotated[int, Size("1KB", "1GB")] = 10_000_000
    """A stream of this size is closed and another opened, if it was open for `rotateAge`."""
    rotate_age: Annotated[timedelta, Span("1s", "1d")] = timedelta(minutes=5)
    """How long a stream stays open at least."""
    max_bytes: Annotated[int, Size("4KB", "1TB")] | None = None
    """Limit of all streams; the oldest entries are dropped. Left out: none. An entry has about 70 octets."""
    max_age: Annotated[timedelta, Span("1m", "365d")] | None = None
    """Age of an article beyond which it is not sent any more. Left out: none."""


class Deferral(Model):
    """What the peer put off."""

    min_age: Annotated[timedelta, Span("1s", "1d")] = timedelta(seconds=30)
    """How long put-off articles rest before they are offered again."""
    max_tries: Annotated[int, Whole(1, 65_535, "tries")] | None = None
    """Times an article is put off before it is given up as a dead letter. Left out: no end."""


class DeadLetter(Model):
    """Articles that the peer answers with an error."""

    max_tries: Annotated[int, Whole(1, 1000, "tries")] = 3
    """Errors about one article before it is given up as a dead letter."""


class Reconnect(Model):
    """Waiting before a lost or refused connection is tried again; doubled each time, and shortened by chance."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("initial", "maximum"),)

    initial: Annotated[timedelta, Span("100ms", "1h")] = timedelta(seconds=2)
    """The first wait."""
    maximum: Annotated[timedelta, Span("100ms", "1d")] = timedelta(minutes=5)
    """The longest wait."""


class Timeouts(Model):
    """How long the peer may take."""

    connect: Annotated[timedelta, Span("100ms", "10m")] = timedelta(seconds=10)
    """For a connection to be made and the greeting to come."""
    response: Annotated[timedelta, Span("100ms", "1h")] = timedelta(minutes=5)
    """For the next answer, while one is due."""
    idle: Annotated[timedelta, Span("1s", "1d")] = timedelta(minutes=10)
    """How long a connection with nothing to send stays open."""


class PeerfeedSpec(Model):
    """A peer: where it is, what it wants, how it is fed."""

    rules: ClassVar[tuple[Rule, ...]] = (
        ExactlyOne(("hosts", "target")),
        Differ("target.name", "outfeedRef.name"),
        NotAbove("minSize", "maxSize"),
        NotAbove("minCrossposts", "maxCrossposts"),
        NotAbove("minHops", "maxHops"),
        SomePositive("groups"),
        SomePositive("requiredGroups"),
        Distinct("distributions"),
        Distinct("pathIdentity"),
        Distinct("excludePath"),
        Distinct("articleTypes"),
    )
    transitions: ClassVar[tuple[Transition, ...]] = (Immutable("outfeedRef", "its backlog belongs to that Outfeed"),)

    outfeed_ref: Reference
    """The Outfeed that feeds this peer."""
    hosts: Items[Host] = ()
    """Host names or addresses of the peer, tried in turn."""
    target: Reference | None = None
    """Another Outfeed as the peer: its NNTP listener."""
    port: Port = 119
    """Port of the hosts. A target is fed on its own port."""
    auth: Auth | None = None
    """How we make ourselves known to the peer. Left out: not at all."""
    connections: Connections = Connections()
    """Connections to the peer."""
    window: Annotated[int, Whole(1, 10_000, "commands")] = 400
    """Commands that may be unanswered at once on one connection."""
    no_check: NoCheck = NoCheck()
    """When articles go out by TAKETHIS without a CHECK before."""
    groups: Annotated[Items[Pattern], Field(min_length=1)] = ("*",)
    """Newsgroups that the peer wants, as uwildmat: the last pattern that matches a group decides. `!` before a pattern
    leaves the group out, `@` leaves out the whole article."""
    required_groups: Items[Pattern] = ()
    """Patterns of newsgroups; an article has to be posted to one of these too. Empty: none is required."""
    distributions: Items[Distribution] = ()
    """Distributions that the peer wants, with `!` before those it does not; with such alone it wants all others.
    Empty: all. An article without a Distribution header passes."""
    needs_distribution: Flag = False
    """Send only articles that have a Distribution header."""
    path_identity: Items[PathIdentity] = ()
    """Names by which the peer itself stands in Path: articles that have been there are not sent."""
    exclude_path: Items[PathIdentity] = ()
    """Articles that passed one of these sites (their Path says so) are not sent."""
    min_size: Annotated[int, Size("1B", "64MiB")] | None = None
    """Smallest article that the peer wants. Left out: no limit."""
    max_size: Annotated[int, Size("1B", "64MiB")] | None = None
    """Largest article that the peer wants. Left out: no limit."""
    min_crossposts: Annotated[int, Whole(1, 1000, "newsgroups")] | None = None
    """Fewest newsgroups of an article that the peer wants. Left out: no limit."""
    max_crossposts: Annotated[int, Whole(1, 1000, "newsgroups")] | None = None
    """Most newsgroups of an article that the peer wants. Left out: no limit."""
    max_followups: Annotated[int, Whole(0, 1000, "newsgroups")] | None = None
    """Most newsgroups that a followup would go to; where no Followup-To says otherwise, those of the article. Left out:
    no limit."""
    max_spread: Annotated[int, Whole(1, 1_000_000, "")] | None = None
    """Most that the newsgroups of an article, plus the square of those that a followup would go to, may come to. 30
    allows 5 newsgroups without a Followup-To, or 29 with one to a single newsgroup. Left out: no limit."""
    min_hops: Annotated[int, Whole(1, 1000, "sites")] | None = None
    """Fewest sites in the Path of an article that the peer wants. Left out: no limit."""
    max_hops: Annotated[int, Whole(1, 1000, "sites")] | None = None
    """Most sites in the Path of an article that the peer wants. Left out: no limit."""
    article_types: Items[ArticleType] = ()
    """Kinds of articles that the peer wants, with `!` before those it does not: the last that an article is decides;
    with such alone it wants all others. `binary` is any of `yenc`, `uuencode` and `base64`, `text` none of them.
    Empty: all."""
    originators: Originators | None = None
    """Who may have injected an article. Left out: anyone."""
    hashfeed: HashRange | None = None
    """The share of articles that the peer gets, so that several peers divide the feed. Left out: all."""
    queue: Queue = Queue()
    """Articles that wait in memory."""
    backlog: PeerBacklog = PeerBacklog()
    """Articles that wait on Redis."""
    deferral: Deferral = Deferral()
    """What the peer put off."""
    dead_letter: DeadLetter = DeadLetter()
    """Articles that the peer answers with an error."""
    reconnect: Reconnect = Reconnect()
    """Waiting before a lost or refused connection is tried again."""
    timeouts: Timeouts = Timeouts()
    """How long the peer may take."""
    pause: Flag = False
    """Send nothing; articles for the peer are kept in its backlog."""


class Peerfeed(Resource):
    """One peer that an Outfeed sends to, and what it wants."""

    parents: ClassVar[dict[str, str]] = {"outfeedRef": "Outfeed", "target": "Outfeed"}

    kind: Literal["Peerfeed"] = "Peerfeed"
    """What it is."""
    spec: PeerfeedSpec
    """What it is to be."""
