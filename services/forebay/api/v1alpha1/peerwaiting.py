"""Where articles for a peer wait: in memory, on Redis, and what was put off or given up."""

from datetime import timedelta
from typing import Annotated, ClassVar

from forebay.api.model import Model
from forebay.api.rules import NotAbove, Rule
from forebay.api.values import Flag, Number, Size, Span, Whole


class Queue(Model):
    """Articles that wait in memory."""

    size: Annotated[int, Whole(10, 1_000_000, "articles")] = 2000
    """Most articles."""
    spill_fraction: Annotated[float, Number(0.05, 1, "")] = 0.5
    """Part of a full queue, the oldest, that goes to the backlog at once."""


class PeerBacklog(Model):
    """Articles that wait on Redis."""

    enabled: Flag = True
    """Whether there is one. Without it, what the queue in memory can't take is dropped and counted, the oldest first;
    what the peer put off rests on Redis all the same."""
    first: Flag = False
    """Whether it goes before what comes in, so that the peer gets all in order but for what it put off. That needs
    `connections.max: 1`. Left out: what comes in goes first, and the backlog when there is room."""
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

    inherits: ClassVar[bool] = True
    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("minAge", "longest"),)

    min_age: Annotated[timedelta, Span("1s", "1d")] = timedelta(seconds=30)
    """How long put-off articles rest before they are offered again."""
    factor: Annotated[float, Number(1, 100, "")] = 1.0
    """What the rest is multiplied with each time that the same articles are put off again, as long as no others are."""
    longest: Annotated[timedelta, Span("1s", "1d")] = timedelta(hours=1)
    """The longest rest that `factor` leads to."""
    max_tries: Annotated[int, Whole(1, 65_535, "tries")] | None = None
    """Times an article is put off before it is given up as a dead letter. Left out: no end."""
    max_age: Annotated[timedelta, Span("1m", "365d")] | None = None
    """Age of an article at which it is given up as a dead letter when it is put off once more. Left out: no end."""


class DeadLetter(Model):
    """Articles that the peer answers with an error."""

    max_tries: Annotated[int, Whole(1, 1000, "tries")] = 3
    """Errors about one article before it is given up as a dead letter."""
