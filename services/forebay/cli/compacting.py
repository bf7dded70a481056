"""One compaction of backlogs while they are fed: what `forebay up --compact` does."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from forebay.api import ApiError
from forebay.cli.errors import CliError
from forebay.cli.failures import failure_of
from forebay.cli.printing import print_table
from forebay.cli.sparkjobs import Outcome, outcome_of
from forebay.cli.spillplaces import Arguments

COLUMNS = {"entries": "entries", "octets": "bytes", "streams": "streams"}
"""Names of figures by titles of columns."""
WAYS = {"before": "In", "after": "Out"}


@dataclass
class Compacting:
    """A compaction that begins once everything was offered."""

    place: AbstractContextManager[Arguments]
    """Where the backlogs are."""
    release: Callable[[], None]
    """Called when it has ended, however it did."""
    outcome: Outcome = field(default=Outcome({}, "it did not get to its end"))

    async def run(self, offered: asyncio.Event) -> None:
        """Wait for the offer, then compact. What goes wrong is the outcome's: backlogs are drained without it too."""
        try:
            await offered.wait()
            with self.place as arguments:
                self.outcome = await outcome_of(["compact-spill", *arguments])
        except (CliError, ApiError, OSError) as error:
            failure = failure_of(error)
            self.outcome = Outcome({}, f"{failure.message}. {failure.remedy}".removesuffix(". "))
        finally:
            self.release()

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"figures": self.outcome.figures, "problem": self.outcome.problem}

    def print(self) -> None:
        """Print its figures as a table, and what it did not do."""
        if figures := self.outcome.figures:
            rows = [(when, *(figures[f"{name}{way}"] for name in COLUMNS.values())) for when, way in WAYS.items()]
            print_table(headline(figures), ("", *(f">{title}" for title in COLUMNS)), rows)
        if self.outcome.problem:
            print(f"Not compacted: {self.outcome.problem}")


def headline(figures: Mapping[str, Any]) -> str:
    """What went, by reason, and how long it took."""
    dropped = ", ".join(f"{count} {reason}" for reason, count in figures["dropped"].items() if count)
    return f"Closed streams of the backlogs, compacted in {figures['seconds']:.1f} s: dropped {dropped or 'nothing'}"
