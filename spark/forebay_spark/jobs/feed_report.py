"""Make the report on a feed: one page of what became of articles, by peer, group, reason and hour.

It is made of what `compact-outcomes` leaves behind. The page is one file that needs no network to be opened.
"""

import argparse
from pathlib import Path

from pyspark.sql import SparkSession

from forebay_spark.errors import OptionError
from forebay_spark.figures import Figures
from forebay_spark.outcomes import BACKLOGS, OUTCOMES
from forebay_spark.outcomestore import OutcomeStore
from forebay_spark.report.page import render, render_empty
from forebay_spark.report.summary import last_days, summarise


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--outcomes", type=Path, required=True, metavar="DIR", help="folder that compact-outcomes fills"
    )
    parser.add_argument(
        "--to", type=Path, required=True, metavar="FILE", help="where the page goes, replaced when there"
    )
    parser.add_argument("--days", type=int, default=7, help="days told of, up to the newest there is (default: 7)")


def run(options: argparse.Namespace, spark: SparkSession) -> Figures:
    """Make the page. Raises `OptionError` and `OSError`."""
    if not options.outcomes.is_dir():
        raise OptionError(f"--outcomes {options.outcomes} is no folder: name the one that compact-outcomes fills")
    if options.days < 1:
        raise OptionError(f"--days {options.days}: at least 1")
    store = OutcomeStore(options.outcomes.absolute())
    outcomes, backlogs = (store.read(spark, table) for table in (OUTCOMES, BACKLOGS))
    span = last_days(outcomes, options.days)
    summary = summarise(outcomes, backlogs, *span) if span else None
    page = render(summary) if summary else render_empty()
    _write(options.to, page)
    counts = {outcome: summary.count(outcome) for outcome in summary.outcomes} if summary else {}
    return Figures({"entriesIn": sum(counts.values()), "outcomes": counts, "bytesOut": len(page.encode())})


def _write(file: Path, page: str) -> None:
    """Write a file whole, so that who opens it meanwhile sees the old page or the new one."""
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(page)
    fresh.replace(file)
