"""Make spilled entries fewer: drop repeats and what is too old or too much, and write full streams in order.

The service of the entries goes on meanwhile. An owner of whom it sends just those entries is left as it was, and told;
so is one that fails. Killed at any time, all entries of an owner are as before or as after it. What other services than
an outfeed have there are no articles, but an announcer's jobs, or a router's messages: these are left alone.
"""

import argparse
import heapq
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from forebay_spark.arguments import duration, size
from forebay_spark.compaction import Rules
from forebay_spark.figures import Figures
from forebay_spark.owners import Work, compact_owners
from forebay_spark.place import SpillPlace, add_places, places
from forebay_spark.progress import progress
from forebay_spark.split import compact_split
from forebay_spark.tally import Tally

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASK_BYTES = 64_000_000
"""Octets of entries of an owner that one task takes; its worker needs about five times as much memory."""
ROTATE_BYTES = 10_000_000
WITH_ARTICLES = frozenset({"outfeed"})
"""Services whose entries are articles. To sort others, or to look for repeats and old ones, would lose some."""
TASKS = 4
"""Tasks for each core, so that cores end at about the same time."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the job."""
    add_places(parser)
    parser.add_argument(
        "--max-age",
        type=duration,
        metavar="DURATION",
        help="drop articles that arrived earlier, as 10d (default: none)",
    )
    parser.add_argument(
        "--max-bytes",
        type=size,
        metavar="SIZE",
        help="drop the oldest of what an owner has in backlog, and in deferred, beyond that, as 1GB (default: none)",
    )
    parser.add_argument(
        "--rotate-bytes",
        type=size,
        default=ROTATE_BYTES,
        metavar="SIZE",
        help="size of the streams that are written (default: 10MB)",
    )
    parser.add_argument(
        "--task-bytes",
        type=size,
        default=TASK_BYTES,
        metavar="SIZE",
        help="owners with more are split among tasks; a worker needs five times as much memory (default: 64MB)",
    )


def run(options: argparse.Namespace, spark: "SparkSession") -> Figures:
    """Compact all owners of all places. Raises `SpillError`, and `OSError` for the file of the URL."""
    rules = Rules(_oldest(options.max_age), options.max_bytes)
    works = [Work(place, rules, options.rotate_bytes) for place in places(options) if place.service in WITH_ARTICLES]
    return sum((_compact(spark, work, options.task_bytes) for work in works), Tally()).figures()


def _compact(spark: "SparkSession", work: Work, task_bytes: int) -> Tally:
    sizes = _sizes(work.place)
    small = {owner: octets for owner, octets in sizes.items() if octets <= task_bytes}
    large = sorted(sizes.keys() - small.keys())
    return _compact_small(spark, small, work) + _compact_large(spark, large, work)


def _oldest(age: timedelta | None) -> int | None:
    return None if age is None else round((time.time() - age.total_seconds()) * 1000)


def _sizes(place: SpillPlace) -> dict[str, int]:
    """Octets that each owner has to be compacted."""
    with place.connect() as compactor:
        plans = map(compactor.plan, compactor.owners())
        return {plan.owner: sum(part.bytes for part in plan.inputs) for plan in plans if plan.inputs}


def _compact_small(spark: "SparkSession", sizes: Mapping[str, int], work: Work) -> Tally:
    context = spark.sparkContext
    groups = balanced(sizes, context.defaultParallelism * TASKS)
    if not groups:
        return Tally()
    done = context.accumulator(0)

    def compact_group(owners: list[str]) -> Tally:
        tally = Tally()
        for part in compact_owners(work, owners):
            tally += part
            done.add(1)
        return tally

    with progress("owners", len(sizes), lambda: done.value):
        return sum(context.parallelize(groups, len(groups)).map(compact_group).collect(), Tally())


def _compact_large(spark: "SparkSession", owners: Sequence[str], work: Work) -> Tally:
    tally = Tally()
    if not owners:
        return tally
    with progress("large owners", len(owners), lambda: tally.owners + tally.failed):
        for owner in owners:
            tally += compact_split(spark, owner, work)
    return tally


def balanced(sizes: Mapping[str, int], number: int) -> list[list[str]]:
    """Share names out into at most so many groups, whose sums of sizes are about the same."""
    groups: list[tuple[int, int, list[str]]] = [(0, place, []) for place in range(min(number, len(sizes)))]
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        total, place, names = groups[0]
        names.append(name)
        heapq.heapreplace(groups, (total + sizes[name], place, names))
    return [names for *_, names in groups]
