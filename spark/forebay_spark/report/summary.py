"""The figures of a report. Spark counts; only what is counted comes to the driver."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sf

ACCEPTED = "accepted"
ANSWERS = (ACCEPTED, "refused", "rejected")
"""Outcomes by which a peer is done with an article."""
ORDER = (*ANSWERS, "deferred", "failed", "missing", "expired", "dropped", "dead-lettered")
TOP = 12
"""Reasons, and groups, that are told of by name."""
POINTS = 240
"""Samples of a backlog that are left of all there are at most: the highest of each stretch."""
STRETCHES = (1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440)
"""Minutes that a stretch may have: parts of a day."""
NAMED = 8
"""Peers with a colour of their own in the plots."""
HOUR_MS = 3_600_000
MINUTE_MS = 60_000


class HourCount(NamedTuple):
    """Articles that a peer accepted in an hour."""

    hour: datetime
    """Its beginning."""
    peer: str
    articles: int


class PeerTotal(NamedTuple):
    """Outcomes of one kind at a peer."""

    peer: str
    outcome: str
    articles: int
    octets: int


class Refusal(NamedTuple):
    """Articles that were not accepted, all for one reason."""

    outcome: str
    reason: str
    articles: int
    peers: int


class Waiting(NamedTuple):
    """The most articles that waited for a peer in a stretch of time."""

    time: datetime
    peer: str
    articles: int


class GroupTotal(NamedTuple):
    """Articles of a group that peers accepted."""

    group: str
    articles: int
    octets: int


@dataclass(frozen=True)
class Summary:
    """All that a report tells."""

    first: date
    last: date
    hours: Sequence[HourCount]
    totals: Sequence[PeerTotal]
    refusals: Sequence[Refusal]
    """The most frequent first."""
    waiting: Sequence[Waiting]
    groups: Sequence[GroupTotal]
    """The largest first."""

    def count(self, outcome: str) -> int:
        """Articles with an outcome, at all peers."""
        return sum(total.articles for total in self.totals if total.outcome == outcome)

    @property
    def outcomes(self) -> list[str]:
        """All there are, in the order in which they are told of."""
        found = {total.outcome for total in self.totals}
        return [outcome for outcome in ORDER if outcome in found] + sorted(found.difference(ORDER))

    @property
    def peers(self) -> list[str]:
        """All there are, those that accepted most first."""
        counts = dict.fromkeys([total.peer for total in self.totals] + [waiting.peer for waiting in self.waiting], 0)
        counts.update((total.peer, total.articles) for total in self.totals if total.outcome == ACCEPTED)
        return sorted(counts, key=lambda peer: (-counts[peer], peer))

    @property
    def named(self) -> list[str]:
        """The peers that plots show apart: they have large parts of what was accepted, or of what waited."""
        shares: defaultdict[str, float] = defaultdict(float)
        for counts in (_accepted(self.totals), _peaks(self.waiting)):
            for peer, share in _shares(counts):
                shares[peer] = max(share, shares[peer])
        chosen = sorted(shares, key=lambda peer: (-shares[peer], peer))[:NAMED]
        return [peer for peer in self.peers if peer in chosen]


def last_days(outcomes: DataFrame, count: int) -> tuple[date, date] | None:
    """The first and the last of so many days, up to the newest that there are outcomes of; None without any."""
    row = outcomes.agg(sf.max("day").alias("last"), sf.date_sub(sf.max("day"), count - 1).alias("first")).first()
    return (row["first"], row["last"]) if row and row["last"] else None


def summarise(outcomes: DataFrame, backlogs: DataFrame, first: date, last: date) -> Summary:
    """Count what happened from one day to another, both included."""
    span = sf.col("day").between(sf.lit(first), sf.lit(last))
    outcomes, backlogs = outcomes.filter(span), backlogs.filter(span)
    accepted = outcomes.filter(sf.col("outcome") == ACCEPTED)
    minutes = ((last - first).days + 1) * 1440 / POINTS
    stretch = next((stretch for stretch in STRETCHES if stretch >= minutes), STRETCHES[-1]) * MINUTE_MS
    return Summary(
        first,
        last,
        _hours(accepted),
        _totals(outcomes),
        _refusals(outcomes.filter(sf.col("outcome") != ACCEPTED)),
        _waiting(backlogs, stretch),
        _groups(accepted),
    )


def _hours(accepted: DataFrame) -> list[HourCount]:
    rows = accepted.groupBy(_stretch(HOUR_MS).alias("at"), "peer").count().orderBy("at", "peer").collect()
    return [HourCount(_instant(row), row["peer"], row["count"]) for row in rows]


def _totals(outcomes: DataFrame) -> list[PeerTotal]:
    counted = outcomes.groupBy("peer", "outcome").agg(sf.count("*"), sf.sum("size"))
    return [PeerTotal(*row) for row in counted.orderBy("peer", "outcome").collect()]


def _refusals(others: DataFrame) -> list[Refusal]:
    counted = others.groupBy("outcome", "reason").agg(sf.count("*").alias("articles"), sf.countDistinct("peer"))
    return [Refusal(*row) for row in counted.orderBy(sf.desc("articles"), "outcome", "reason").limit(TOP).collect()]


def _waiting(backlogs: DataFrame, stretch: int) -> list[Waiting]:
    most = sf.max(sf.col("queued") + sf.col("deferred")).alias("most")
    rows = backlogs.groupBy(_stretch(stretch).alias("at"), "peer").agg(most).orderBy("at", "peer").collect()
    return [Waiting(_instant(row), row["peer"], row["most"]) for row in rows]


def _groups(accepted: DataFrame) -> list[GroupTotal]:
    known = accepted.filter(sf.col("group") != "")
    counted = known.groupBy("group").agg(sf.count("*").alias("articles"), sf.sum("size"))
    return [GroupTotal(*row) for row in counted.orderBy(sf.desc("articles"), "group").limit(TOP).collect()]


def _stretch(milliseconds: int) -> Column:
    """The beginning of the stretch of time that a row lies in, in milliseconds since the epoch."""
    return sf.unix_millis("time") - sf.unix_millis("time") % milliseconds


def _instant(row: Row) -> datetime:
    return datetime.fromtimestamp(row["at"] / 1000, UTC)


def _accepted(totals: Sequence[PeerTotal]) -> dict[str, int]:
    return {total.peer: total.articles for total in totals if total.outcome == ACCEPTED}


def _peaks(waiting: Sequence[Waiting]) -> dict[str, int]:
    peaks: dict[str, int] = {}
    for _, peer, articles in waiting:
        peaks[peer] = max(articles, peaks.get(peer, 0))
    return peaks


def _shares(counts: dict[str, int]) -> list[tuple[str, float]]:
    whole = sum(counts.values()) or 1
    return [(peer, count / whole) for peer, count in counts.items()]
