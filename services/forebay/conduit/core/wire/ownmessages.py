"""Messages for peers alone with whom the extras were agreed: a zhe program resets the session when it gets one.

The protocol names most of them; it leaves the bodies of QUERY and CONDUIT_CLOSE open, and has no REPLY.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from forebay.conduit.core.wire.messages import Data, WriteData


class BatchData(NamedTuple):
    """BDATA: samples of one resource or selection under one number."""

    conduit: int
    reliable: bool
    s: bool
    number: int
    rid: int
    prids: tuple[int, ...] | None
    """The resource of each sample, where they are others."""
    payloads: tuple[bytes, ...]


class Pull(NamedTuple):
    """Asks for samples that are kept for a subscriber that pulls."""

    conduit: int
    s: bool
    final: bool
    """It will pull no more."""
    number: int
    rid: int
    limit: int | None = None
    """At most so many."""

    @property
    def reliable(self) -> bool:
        """Always."""
        return True


class Query(NamedTuple):
    """Asks whoever answers for matching resources; the protocol names it, and leaves its body open."""

    conduit: int
    s: bool
    number: int
    query: int
    """The asker's own id of it."""
    uri: str
    """A resource or a pattern."""
    payload: bytes
    """For those who answer."""

    @property
    def reliable(self) -> bool:
        """Always."""
        return True


class Reply(NamedTuple):
    """One answer to a query."""

    conduit: int
    s: bool
    final: bool
    """The last one of this node; it holds no answer itself, its payload is empty or says why there is none."""
    number: int
    query: int
    """The asker's id of it."""
    uri: str
    """The resource; empty in the final one."""
    payload: bytes

    @property
    def reliable(self) -> bool:
        """Always."""
        return True


class ConduitClose(NamedTuple):
    """The sender's last message on this conduit."""

    conduit: int
    s: bool
    number: int

    @property
    def reliable(self) -> bool:
        """Always."""
        return True


class Migrate(NamedTuple):
    """What went over another conduit comes over this one from now on."""

    conduit: int
    number: int
    old: int
    """The conduit that it comes from."""
    rid: int | None
    """The resource or selection that moves; all of them when absent, and the old conduit is then closed."""
    reliable_next: int
    """The number after the last one that went over the old conduit's reliable channel."""
    unreliable_next: int
    """The same of its unreliable channel."""

    @property
    def reliable(self) -> bool:
        """Always."""
        return True

    @property
    def s(self) -> bool:
        """Never: its bit has another meaning here."""
        return False


class Fragment(NamedTuple):
    """A piece of a sample too large for one datagram; each piece is a message of its own number."""

    base: int
    """Number of the first piece; the others follow it without a gap."""
    pieces: int
    """In all, at least 2."""
    piece: Data | WriteData
    """The sample, with this piece of its payload."""

    @property
    def conduit(self) -> int:
        """The conduit that carries it."""
        return self.piece.conduit

    @property
    def reliable(self) -> bool:
        """Whether it goes over the reliable channel."""
        return self.piece.reliable

    @property
    def s(self) -> bool:
        """Acknowledge at once."""
        return self.piece.s

    @property
    def number(self) -> int:
        """Its own."""
        return self.piece.number
