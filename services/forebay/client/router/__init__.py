"""A client of RouterService: a process with threads that send messages to each other."""

from forebay.client.router.blocking import BlockingThread
from forebay.client.router.errors import (
    DroppedError,
    NoReplyError,
    OverflowingError,
    RegistrationError,
    ThreadEndedError,
    ThreadError,
)
from forebay.client.router.process import Process
from forebay.client.router.settings import ProcessSettings
from forebay.client.router.thread import Thread
from forebay.client.router.views import RouterClient
from forebay.pb.router.v1.router_pb2 import Severity
from forebay.router.core.errors import BadNameError, FieldTypeError
from forebay.router.core.events import Crashed, Dropped, Event
from forebay.router.core.flags import Flag
from forebay.router.core.flowcontrol import FlowSettings
from forebay.router.core.message import FieldValue, Marker, Message
from forebay.router.core.outbox import OutboxSettings
from forebay.router.core.threadqueue import QueueLimits

__all__ = [
    "BadNameError",
    "BlockingThread",
    "Crashed",
    "Dropped",
    "DroppedError",
    "Event",
    "FieldTypeError",
    "FieldValue",
    "Flag",
    "FlowSettings",
    "Marker",
    "Message",
    "NoReplyError",
    "OutboxSettings",
    "OverflowingError",
    "Process",
    "ProcessSettings",
    "QueueLimits",
    "RegistrationError",
    "RouterClient",
    "Severity",
    "Thread",
    "ThreadEndedError",
    "ThreadError",
]
