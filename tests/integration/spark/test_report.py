import argparse
from datetime import UTC, datetime
from pathlib import Path

import pytest

from forebay_spark.errors import OptionError
from forebay_spark.jobs import compact_outcomes, feed_report
from forebay_spark.outcomes import BACKLOGS, OUTCOMES
from forebay_spark.outcomestore import OutcomeStore
from forebay_spark.report.summary import (
    GroupTotal,
    HourCount,
    PeerTotal,
    Refusal,
    Summary,
    Waiting,
    last_days,
    summarise,
)
from outcomelogs import DAY, HOUR, START, outcome, sample, write

MIDNIGHT = datetime(2025, 11, 28, tzinfo=UTC)


@pytest.fixture(scope="module")
def kept(spark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two days of two peers, compacted."""
    folder = tmp_path_factory.mktemp("report")
    lines = [
        outcome(1, START, size=100),
        outcome(2, START + 5, size=200, group="sci.physics"),
        outcome(3, START + HOUR, size=400),
        outcome(4, START + HOUR, peer="spool", size=50),
        outcome(5, START, outcome="rejected", reason="439 Duplicate"),
        outcome(6, START, peer="spool", outcome="rejected", reason="439 Duplicate"),
        outcome(7, START, outcome="refused", reason="438"),
        sample(START, queued=3, deferred=2),
        sample(START + 60_000, queued=40, deferred=2),
        sample(START + HOUR, queued=1),
        outcome(8, START - 9 * DAY, size=7),
    ]
    write(folder / "log", "1.jsonl", *lines)
    compact_outcomes.run(argparse.Namespace(outcomes=folder / "log", to=folder / "kept"), spark)
    return folder / "kept"


@pytest.fixture(scope="module")
def summary(spark, kept: Path) -> Summary:
    outcomes, backlogs = (OutcomeStore(kept).read(spark, table) for table in (OUTCOMES, BACKLOGS))
    first, last = last_days(outcomes, 7)
    return summarise(outcomes, backlogs, first, last)


def test_last_days_end_with_the_newest(summary):
    assert (summary.first.isoformat(), summary.last.isoformat()) == ("2025-11-22", "2025-11-28")


def test_accepted_articles_are_counted_by_hour_and_peer(summary):
    later = MIDNIGHT.replace(hour=1)
    assert summary.hours == [HourCount(MIDNIGHT, "hub", 2), HourCount(later, "hub", 1), HourCount(later, "spool", 1)]


def test_outcomes_are_counted_by_peer(summary):
    assert summary.totals[0] == PeerTotal("hub", "accepted", 3, 700)
    assert summary.count("rejected") == 2


def test_refusals_are_counted_by_reason(summary):
    assert summary.refusals == [Refusal("rejected", "439 Duplicate", 2, 2), Refusal("refused", "438", 1, 1)]


def test_backlog_is_the_highest_of_each_stretch(summary):
    assert [waiting.articles for waiting in summary.waiting] == [42, 1]
    assert summary.waiting[0] == Waiting(MIDNIGHT, "hub", 42)


def test_groups_are_ranked(summary):
    assert summary.groups == [GroupTotal("misc.test", 3, 550), GroupTotal("sci.physics", 1, 200)]


def test_page_is_written_whole(spark, kept, tmp_path):
    page = tmp_path / "report.html"
    page.write_text("old")
    figures = feed_report.run(argparse.Namespace(outcomes=kept, to=page, days=7), spark)
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert figures.values["outcomes"] == {"accepted": 4, "refused": 1, "rejected": 2}
    assert figures.values["bytesOut"] == page.stat().st_size


def test_page_of_nothing_says_so(spark, tmp_path):
    page = tmp_path / "report.html"
    (tmp_path / "kept").mkdir()
    feed_report.run(argparse.Namespace(outcomes=tmp_path / "kept", to=page, days=7), spark)
    assert "no outcomes yet" in page.read_text()


@pytest.mark.parametrize("wrong", [{"days": 0}, {"outcomes": Path("/nowhere")}], ids=["days", "outcomes"])
def test_wrong_argument_is_named(spark, kept, tmp_path, wrong):
    options = {"outcomes": kept, "to": tmp_path / "report.html", "days": 7, **wrong}
    with pytest.raises(OptionError, match=f"--{next(iter(wrong))}"):
        feed_report.run(argparse.Namespace(**options), spark)
