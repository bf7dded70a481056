"""Traits of a peer: all that its Outfeed can say for it."""

from datetime import timedelta
from typing import Annotated, ClassVar

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Distinct, NotAbove, Rule, SomePositive
from forebay.api.v1alpha1.peersending import Auth, Connections, Network, NoCheck, PeerTls, Reconnect, Timeouts
from forebay.api.v1alpha1.peertimes import FeedHours
from forebay.api.v1alpha1.peerwaiting import DeadLetter, Deferral, PeerBacklog, Queue
from forebay.api.v1alpha1.peerwants import ArticleType, Distribution, Originators, PathIdentity, Pattern
from forebay.api.v1alpha1.service import Port
from forebay.api.values import Flag, Number, Size, Span, Whole

TRAIT_RULES: tuple[Rule, ...] = (
    NotAbove("minSize", "maxSize"),
    NotAbove("minCrossposts", "maxCrossposts"),
    NotAbove("minHops", "maxHops"),
    SomePositive("groups"),
    SomePositive("requiredGroups"),
    Distinct("distributions"),
    Distinct("excludePath"),
    Distinct("articleTypes"),
)


class PeerTraits(Model):
    """What a peer wants and how it is fed. What is left out is as the Outfeed's `defaults` say, else as told here."""

    inherits: ClassVar[bool] = True
    rules: ClassVar[tuple[Rule, ...]] = TRAIT_RULES

    port: Port = 119
    """Port of the hosts. A target is fed on its own port."""
    tls: PeerTls | None = None
    """How connections are secured. Left out: not at all."""
    auth: Auth | None = None
    """How we make ourselves known to the peer. Left out: not at all."""
    connections: Connections = Connections()
    """Connections to the peer."""
    window: Annotated[int, Whole(1, 10_000, "commands")] = 400
    """Commands that may be unanswered at once on one connection."""
    compress: Flag = False
    """Whether connections are compressed (COMPRESS DEFLATE) where the peer offers that. It costs time on both sides."""
    streaming: Flag = True
    """Whether articles go by CHECK and TAKETHIS, many at once; without it, and to a peer that declines MODE STREAM,
    they go one by one by IHAVE."""
    headfeed: Flag = False
    """Whether articles go without their bodies (MODE HEADFEED); a Bytes header tells the size that each had."""
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
    with such alone it wants all others. `binary` is any of `yenc`, `uuencode`, `base64` and `binhex`, `text` none of
    them; `approved` has an Approved header, as all in moderated groups. Empty: all."""
    originators: Originators | None = None
    """Who may have injected an article. Left out: anyone."""
    delay: Annotated[timedelta, Span("0s", "30d")] = timedelta(0)
    """How long an article rests after its arrival before it goes to the peer, which may have got it elsewhere by then.
    Until then it is in the feed log of the Outfeed, whose `storage.logLimit` it counts against."""
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
    network: Network = Network()
    """How connections to the peer are made on our side."""
    max_rate: Annotated[float, Number(0.001, 1_000_000, "articles a second")] | None = None
    """Most articles that go to the peer, over all its connections. Left out: no limit."""
    hours: FeedHours | None = None
    """When the peer may be fed; at other times articles for it are kept in its backlog. Left out: always."""


class PeerDefaults(PeerTraits):
    """What counts for all peers of an Outfeed that do not say otherwise."""
