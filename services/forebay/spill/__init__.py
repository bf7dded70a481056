"""Spill queues on Redis streams: what a receiver cannot take now is kept here, in order, and handed out again.

A `Spill` is a service's client of one Redis; it hands out a `Spool` an owner (a peer, a recipient, a publisher), and a
`Timetable` to those that keep things for certain times.
"""

from forebay.spill.client import Spill
from forebay.spill.deadletter import DeadLetter
from forebay.spill.errors import (
    LeaseLostError,
    SpillAnswerError,
    SpillCheckError,
    SpillError,
    SpillFullError,
    SpillHeldError,
    SpillSettingsError,
    SpillUnavailableError,
)
from forebay.spill.events import Change, StateEvent
from forebay.spill.fence import Durable
from forebay.spill.keys import Kind
from forebay.spill.ledger import Depth, SpoolState
from forebay.spill.limits import Dropped
from forebay.spill.metrics import SpillMetrics
from forebay.spill.purge import purge
from forebay.spill.resend import Entry
from forebay.spill.resender import Promotion
from forebay.spill.settings import SpillSettings, SpoolSettings, TlsFiles
from forebay.spill.spool import Held, Loaded, Spool
from forebay.spill.timetable import Row, Timetable

__all__ = [
    "Change",
    "DeadLetter",
    "Depth",
    "Dropped",
    "Durable",
    "Entry",
    "Held",
    "Kind",
    "LeaseLostError",
    "Loaded",
    "Promotion",
    "Row",
    "Spill",
    "SpillAnswerError",
    "SpillCheckError",
    "SpillError",
    "SpillFullError",
    "SpillHeldError",
    "SpillMetrics",
    "SpillSettings",
    "SpillSettingsError",
    "SpillUnavailableError",
    "Spool",
    "SpoolSettings",
    "SpoolState",
    "StateEvent",
    "Timetable",
    "TlsFiles",
    "purge",
]
