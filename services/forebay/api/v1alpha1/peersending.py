"""How a peer is reached and fed: its hosts, the login, connections and their times."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Distinct, NotAbove, Rule
from forebay.api.v1alpha1.metadata import WORD, SecretReference
from forebay.api.values import Flag, Number, Size, Span, Text, Whole

Host = Annotated[
    str,
    Text(
        r"^([0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*)$",
        "a host name or an IP address; the port has a field of its own",
    ),
]
SourceAddress = Annotated[
    str,
    Text(
        r"^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)$",
        "an IP address of this machine, as 192.0.2.1 or 2001:db8::1",
    ),
]


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


class AuthoritiesSource(Model):
    """Where certificates of authorities are."""

    secret_ref: SecretReference
    """The key of a Secret whose value is the certificates, as PEM."""


class TlsMode(StrEnum):
    """When TLS begins."""

    IMPLICIT = "implicit"
    """At once."""
    STARTTLS = "starttls"
    """After STARTTLS; a peer that declines is not fed."""


class PeerTls(Model):
    """How connections to the peer are secured."""

    mode: TlsMode
    """When TLS begins: at once, as on port 563 (`implicit`), or after STARTTLS (`starttls`)."""
    server_name: Host | None = None
    """Name in the peer's certificate. Left out: that of the host."""
    authorities_from: AuthoritiesSource | None = None
    """Whose certificates are believed. Left out: those that the system believes."""
    verify: Flag = True
    """Whether the peer's certificate is checked. Without it anyone may stand in the peer's place."""


class Growth(StrEnum):
    """What bounds the number of connections below `max`."""

    FREE = "free"
    """Nothing."""
    RATE = "rate"
    """Articles a second: another connection stays only where more go out for it."""
    QUEUE = "queue"
    """How full the queue in memory is."""
    BOTH = "both"
    """`queue` as far as the peer takes what it is offered, `rate` as far as it does not."""


class Connections(Model):
    """Connections to the peer."""

    inherits: ClassVar[bool] = True
    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("low", "high"),)

    max: Annotated[int, Whole(1, 100, "connections")] = 2
    """Most at once. While all are busy and articles wait, another is opened each second."""
    initial: Annotated[int, Whole(0, 100, "connections")] = 1
    """How many are opened at the start though nothing waits, if that many may be. They stay as long as they are needed,
    as all others do. 0: none before there is something to send."""
    growth: Growth = Growth.FREE
    """What bounds their number below `max`: nothing (`free`), articles a second (`rate`), how full the queue in memory
    is (`queue`), or `both`, by the share of articles that the peer takes."""
    low: Annotated[float, Number(0, 100, "%")] = 20.0
    """Fullness of the queue below which there is one less, where `growth` goes by it."""
    high: Annotated[float, Number(0, 100, "%")] = 50.0
    """Fullness of the queue above which there may be one more, where `growth` goes by it."""
    filter: Annotated[float, Number(0, 0.999, "")] = 0.7
    """How much of the fullness is that of a second ago; the more, the slower the number follows it."""
    start_delay: Annotated[timedelta, Span("0s", "1h")] = timedelta(0)
    """How long the first connection waits after the start of the service, or after the peer was added to it."""


class NoCheck(Model):
    """When articles go out by TAKETHIS without a CHECK before: while the peer takes nearly all."""

    inherits: ClassVar[bool] = True
    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("low", "high"),)

    enabled: Flag = True
    """Whether CHECK may be left out."""
    high: Annotated[float, Number(0, 100, "%")] = 95.0
    """Share of articles that the peer takes, above which CHECK is left out."""
    low: Annotated[float, Number(0, 100, "%")] = 90.0
    """Share of articles that the peer takes, below which CHECK comes back."""
    filter: Annotated[float, Number(1, 10_000, "answers")] = 50.0
    """How many of the last answers count, about."""


class Reconnect(Model):
    """Waiting before a lost or refused connection is tried again; doubled each time, and shortened by chance."""

    inherits: ClassVar[bool] = True
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
    lifetime: Annotated[timedelta, Span("1m", "365d")] = timedelta(days=1)
    """How long a connection lasts at most; for the next one the name is looked up anew."""


class Family(StrEnum):
    """Which addresses are used."""

    ANY = "any"
    """All."""
    IPV4 = "ipv4"
    """Those of IPv4 alone."""
    IPV6 = "ipv6"
    """Those of IPv6 alone."""


class Network(Model):
    """How connections to the peer are made on our side."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("bind"),)

    bind: Annotated[Items[SourceAddress], Field(max_length=2)] = ()
    """Addresses of ours that they come from, one of IPv4, one of IPv6 or both. Of a family without one the kernel
    chooses."""
    family: Family = Family.ANY
    """Which addresses of the peer are used: those of IPv4, of IPv6 or any."""
    pacing_rate: Annotated[int, Size("1KB", "4GB")] | None = None
    """Most octets a second on one connection; the kernel spreads them evenly. Left out: no limit."""
    congestion_control: Annotated[str, Text(r"^[a-z][a-z0-9_]*$", "a name, as bbr or cubic", longest=15)] | None = None
    """Algorithm of TCP that the kernel has. Left out: its default."""
    dscp: Annotated[int, Whole(0, 63, "")] | None = None
    """How routers are to treat what is sent (RFC 2474): 8 is a bulk transfer of low priority. Left out: as all else."""
    send_buffer: Annotated[int, Size("4KiB", "64MiB")] | None = None
    """What the kernel keeps of each connection for sending. Left out: as much as it sees fit."""
