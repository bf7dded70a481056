"""The accounts of one peer: every article offered to it is in exactly one column at any moment."""

from collections import Counter
from dataclasses import dataclass, field

SPOOLED = ("overflow", "on-close", "sleeping")
"""Why articles go to the backlog: the queue is full or the backlog first; the last connection ended; none is up."""


@dataclass(slots=True)
class Ledger:
    """Counts of articles of one peer.

    `queued`, `deferred` and `in_flight` rise and fall; all others only rise. `offered` begins with what was
    recovered at start, so the columns add up over restarts too.
    """

    offered: int = 0
    accepted: int = 0
    refused: int = 0
    """The peer did not want it (438): it had it already."""
    rejected: int = 0
    """The peer took it and turned it down (439, or a 431 to TAKETHIS)."""
    expired: int = 0
    """Grew older in the backlog than `backlog.maxAge`."""
    dead_lettered: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """By reason: what a limit, a damaged body or a repeat cost."""
    queued: int = 0
    """In memory, in B or R, or in the feed log and not yet handed out."""
    deferred: int = 0
    """In D, or on the way there."""
    in_flight: int = 0
    dead_kept: int = 0
    """Dead letters that can be replayed; a remark, not a column."""
    requeued: int = 0
    """Given back unanswered by a connection that ended; a remark, not a column."""
    bytes_offered: int = 0
    """Octets of what was offered, without what was recovered at start: of that the sizes are not known."""
    bytes_accepted: int = 0
    bytes_refused: int = 0
    """Octets that the peer did not want, and that were not sent for that."""
    bytes_rejected: int = 0
    bytes_deferred: int = 0
    """Octets of articles that were put off, each time."""
    put_offs: int = 0
    """How often an article was put off; a remark, as all below."""
    spooled: Counter[str] = field(default_factory=Counter)
    """Articles that went towards the backlog, by why: `SPOOLED`."""
    unspooled: int = 0
    """Articles that were read back from it."""
    answers: Counter[str] = field(default_factory=Counter)
    """Articles by the code of the peer's answer that settled them or put them off."""

    @property
    def settled(self) -> int:
        """Articles that this peer is done with."""
        final = self.accepted + self.refused + self.rejected + self.expired + self.dead_lettered
        return final + self.dropped.total()

    @property
    def owed(self) -> int:
        """Articles that still have to go to this peer."""
        return self.queued + self.deferred + self.in_flight

    @property
    def imbalance(self) -> int:
        """0 in a sound ledger."""
        return self.offered - self.settled - self.owed

    def offer(self, count: int, octets: int = 0) -> None:
        """`count` articles were routed to this peer, or recovered for it."""
        self.offered += count
        self.queued += count
        self.bytes_offered += octets

    def recover(self, deferred: int, dead: int) -> None:
        """What Redis holds is known now: of all that is owed so much is deferred, and so much given up.

        Dead letters of before the start count as offered and given up; ones that Redis lost are offered again.
        """
        found = dead - self.dead_kept
        if found > 0:
            self.queued -= found
            self.dead_lettered += found
        else:
            self.offer(-found)
        self.dead_kept = dead
        self.queued += self.deferred - deferred
        self.deferred = deferred

    def replay(self, count: int) -> None:
        """`count` dead letters are offered again."""
        # A crash may leave letters of what is queued all the same.
        count = min(count, self.dead_kept)
        self.dead_kept -= count
        self.offer(count)

    def send(self, count: int) -> None:
        """`count` articles went from the queue to a connection."""
        # An append that Redis took without saying so can leave an article in B, and in D or among the dead letters.
        if (twice := count - self.queued) > 0:
            self.recall(twice)
        if (again := count - self.queued) > 0:
            self.replay(again)
        self.queued -= count
        self.in_flight += count

    def give_back(self, count: int) -> None:
        """A connection ended with `count` articles unanswered."""
        self.in_flight -= count
        self.queued += count
        self.requeued += count

    def accept(self, count: int, octets: int) -> None:
        """The peer took `count` articles that were in flight."""
        self.in_flight -= count
        self.accepted += count
        self.bytes_accepted += octets

    def refuse(self, count: int, octets: int) -> None:
        """The peer did not want `count` articles that were in flight."""
        self.in_flight -= count
        self.refused += count
        self.bytes_refused += octets

    def reject(self, count: int, octets: int) -> None:
        """The peer turned down `count` articles that it had been sent."""
        self.in_flight -= count
        self.rejected += count
        self.bytes_rejected += octets

    def bury(self, count: int) -> None:
        """`count` articles that were in flight are given up and kept as dead letters."""
        self.in_flight -= count
        self.dead_lettered += count
        self.dead_kept += count

    def lose(self, count: int, reason: str) -> None:
        """`count` articles that were to be sent cannot be."""
        self.in_flight -= count
        self.dropped[reason] += count

    def defer(self, count: int, octets: int) -> None:
        """The peer put off `count` articles that were in flight."""
        self.in_flight -= count
        self.deferred += count
        self.put_offs += count
        self.bytes_deferred += octets

    def drop(self, count: int, reason: str) -> None:
        """`count` queued articles will never be sent."""
        self.queued -= count
        self.dropped[reason] += count

    def expire(self, count: int) -> None:
        """`count` queued articles became too old."""
        self.queued -= count
        self.expired += count

    def recall(self, count: int) -> None:
        """D became R: its `count` articles wait for their turn again."""
        # After a crash D may hold some that are settled, or counted elsewhere.
        count = min(count, self.deferred)
        self.deferred -= count
        self.queued += count
