"""Runs of Compactions: when they are due, how far they are, and what becomes of them. Pure."""

from forebay_operator.compactions.observation import has_to_go, observed, vanished
from forebay_operator.compactions.planning import Decision, Situation, decide, superfluous
from forebay_operator.compactions.run import Run, State, Trigger, newest_first
from forebay_operator.compactions.runcounts import RunCounts
from forebay_operator.compactions.schedule import Schedule, ScheduleError, schedule_of

__all__ = [
    "Decision",
    "Run",
    "RunCounts",
    "Schedule",
    "ScheduleError",
    "Situation",
    "State",
    "Trigger",
    "decide",
    "has_to_go",
    "newest_first",
    "observed",
    "schedule_of",
    "superfluous",
    "vanished",
]
