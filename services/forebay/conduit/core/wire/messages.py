"""Every message as a tuple, as it lies on the wire: numbers are not extended, leases are in units of 100 ms.

A numbered message says which conduit carries it. The id of a resource is 0 or more; the id of a selection is the
complement of its number (`~number`), so always below 0.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from forebay.conduit.core.wire.ownmessages import BatchData, ConduitClose, Fragment, Migrate, Pull, Query, Reply

if TYPE_CHECKING:
    from forebay.conduit.core.wire.declarations import Declaration

VERSION = 1
"""Of the protocol, as OPEN tells it."""
LEASE_UNIT = 0.1
"""Seconds that one unit of a lease is."""
MAX_PEER_ID = 16
"""Octets of the longest peer id; the shortest has 1."""
MAX_ASKED = 32
"""Bits of an ACKNACK's mask that are looked at."""

Properties: TypeAlias = tuple[tuple[int, bytes], ...]
"""Ids and values; even ids are the protocol's, odd ones a vendor's."""


class Role(IntFlag):
    """What a node is: bits of the mask of SCOUT and HELLO."""

    BROKER = 1
    DURABILITY = 2
    PEER = 4
    CLIENT = 8


class CloseReason(IntEnum):
    """Why a session ends or was refused; 64 to 254 are a vendor's own."""

    OK = 0
    BAD_AUTHENTICATION = 1
    PROTOCOL = 2
    NO_RESOURCES = 3
    NUMBER_LENGTH = 4
    PARAMETER = 5
    INCOMPATIBLE_DECLARATION = 6
    ERROR = 255


class Scout(NamedTuple):
    """Who is there? Sent to all."""

    mask: int
    """Of which roles, as bits of `Role`."""
    properties: Properties = ()


class Hello(NamedTuple):
    """Answer to a SCOUT."""

    mask: int
    """The sender's roles, as bits of `Role`."""
    locators: tuple[str, ...] = ()
    """Where it is reached beside its source address."""
    properties: Properties = ()


class Open(NamedTuple):
    """Asks for a session."""

    version: int
    peer_id: bytes
    """Of the sender; 1 to 16 octets."""
    lease: int
    """How long it counts as alive after its last datagram, in 100 ms; 0 for ever."""
    locators: tuple[str, ...] = ()
    properties: Properties = ()


class Accept(NamedTuple):
    """Answer to an OPEN: the session is established."""

    opener: bytes
    """Peer id of who sent the OPEN."""
    accepter: bytes
    """Peer id of the sender."""
    lease: int
    """The sender's, in 100 ms; 0 for ever."""
    properties: Properties = ()


class Close(NamedTuple):
    """Ends a session, or refuses one."""

    peer_id: bytes
    """Of the sender."""
    reason: int
    """A `CloseReason` or a vendor's code."""


class KeepAlive(NamedTuple):
    """Renews the sender's lease when it had nothing else to say."""

    peer_id: bytes


class Synch(NamedTuple):
    """Where a channel of a conduit stands at its sender."""

    conduit: int
    reliable: bool
    s: bool
    """Acknowledge at once."""
    number: int
    """Of the next sample to be sent."""
    unacked: int | None = None
    """So many before it can be sent again; none when absent."""


class AckNack(NamedTuple):
    """What came over a reliable channel, and what is missed."""

    conduit: int
    number: int
    """The first that was not received: all before it were."""
    mask: int | None = None
    """Absent: nothing is asked for. Else `number` is, and number + 1 + i for each bit i."""


class Data(NamedTuple):
    """SDATA: one sample of a resource or selection that was declared."""

    conduit: int
    reliable: bool
    s: bool
    number: int
    rid: int
    """The resource or selection that matched."""
    prid: int | None
    """The resource that was written, where it is another one; 0 ends the answer to a PULL."""
    payload: bytes


class WriteData(NamedTuple):
    """WDATA: one sample of a resource that is named by its URI."""

    conduit: int
    reliable: bool
    s: bool
    number: int
    uri: str
    payload: bytes


class Declare(NamedTuple):
    """Declarations; always of the reliable channel."""

    conduit: int
    s: bool
    committed: bool
    """No transaction: the receiver closes the session if it can't take one of them."""
    number: int
    declarations: tuple[Declaration, ...]

    @property
    def reliable(self) -> bool:
        """Always."""
        return True


class Ping(NamedTuple):
    """Asks for a PONG, to measure the round trip."""

    hash: int
    """Below 2^16."""


class Pong(NamedTuple):
    """Answer to a PING."""

    hash: int


OwnMessage: TypeAlias = BatchData | Pull | Query | Reply | ConduitClose | Migrate | Fragment
"""For peers alone with whom the extras were agreed."""
SessionMessage: TypeAlias = Scout | Hello | Open | Accept | Close | KeepAlive | Ping | Pong
"""Belongs to no conduit."""
NumberedMessage: TypeAlias = Data | WriteData | Declare | OwnMessage
"""Has a number of a channel of a conduit; each has `conduit`, `reliable`, `s` and `number`."""
Message: TypeAlias = SessionMessage | Synch | AckNack | NumberedMessage


class Malformed(NamedTuple):
    """Why the rest of a datagram could not be read."""

    offset: int
    """Where in the datagram the message begins that is at fault."""
    reason: str
    """For people: what is wrong, with the value."""
