"""What has become of the runs of one Compaction while this operator has worked."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from forebay_operator.compactions.run import Run, State


@dataclass
class RunCounts:
    """Counts of runs."""

    ended: Counter[State] = field(default_factory=Counter)
    """How many have ended in each way."""
    last_success: datetime | None = None
    """When the newest that went well had ended; None where none is known."""

    def note(self, before: Iterable[Run], after: Iterable[Run]) -> None:
        """The status tells of these runs now, and told of those before."""
        known = {run.name for run in before if run.state.is_final}
        for run in after:
            if run.state.is_final and run.name not in known:
                self.ended[run.state] += 1
            if run.state is State.SUCCEEDED and run.ended:
                self.last_success = max(run.ended, self.last_success or run.ended)
