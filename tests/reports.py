"""Figures of a report as a busy week would give them."""

import math
import random
from datetime import UTC, date, datetime, timedelta

from forebay_spark.report.summary import GroupTotal, HourCount, PeerTotal, Refusal, Summary, Waiting

FIRST = date(2025, 11, 22)
START = datetime(2025, 11, 22, tzinfo=UTC)
HOURS = 168
LATE = range(60, 90)
"""Hours in which the third peer takes nothing."""


def summary(peers: list[str], *, groups: list[str] | None = None) -> Summary:
    """Each peer takes less than the one before; the third is away for a while, and catches up."""
    chance = random.Random(7)
    hours = [
        HourCount(START + timedelta(hours=hour), peer, int(_pace(place, hour) * chance.uniform(0.8, 1.2)))
        for hour in range(HOURS)
        for place, peer in enumerate(peers)
    ]
    waiting = [
        Waiting(START + timedelta(hours=hour), peer, _backlog(place, hour) + int(chance.expovariate(0.05)))
        for hour in range(HOURS)
        for place, peer in enumerate(peers)
    ]
    refusals = [
        Refusal("refused", "438 <message-id>", 210_000, len(peers)),
        Refusal("rejected", "439 Duplicate", 4_300, 4),
        Refusal("deferred", "431 Try again later", 3_000, 2),
        Refusal("rejected", "439 Unwanted newsgroup", 1_250, 3),
        Refusal("rejected", "439 Too old", 310, 1),
        Refusal("dead-lettered", "503 Internal error", 12, 1),
    ]
    names = groups or ["comp.lang.python", "news.software.nntp", "sci.physics", "rec.arts.sf.written", "misc.test"]
    sizes = [GroupTotal(name, 90_000 // (place + 1), 270_000_000 // (place + 1)) for place, name in enumerate(names)]
    totals = [total for peer in peers for total in _totals(peer, hours)]
    return Summary(FIRST, FIRST + timedelta(days=6), hours, totals, refusals, waiting, sizes)


def _pace(place: int, hour: int) -> float:
    pace = (1500 + 900 * math.sin((hour - 8) / 12 * math.pi)) / (place + 1)
    if place == 2 and hour in LATE:
        return 0
    return pace * 4 if place == 2 and LATE.stop <= hour < LATE.stop + 10 else pace


def _backlog(place: int, hour: int) -> int:
    if place != 2:
        return 0
    return (hour - LATE.start) * 600 if hour in LATE else max(LATE.stop + 10 - hour, 0) * 1800 * (hour >= LATE.stop)


def _totals(peer: str, hours: list[HourCount]) -> list[PeerTotal]:
    articles = sum(count.articles for count in hours if count.peer == peer)
    return [
        PeerTotal(peer, "accepted", articles, articles * 3100),
        PeerTotal(peer, "refused", articles // 3, articles * 900),
        PeerTotal(peer, "rejected", articles // 50, articles * 60),
        PeerTotal(peer, "deferred", articles // 40, articles * 80),
    ]
