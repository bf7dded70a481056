"""One publisher: batches in, outcomes in their order out."""

from collections.abc import Callable

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.errors import FieldViolation, InvalidArgumentError
from forebay.store.queueing.confirmwindow import ConfirmWindow
from forebay.store.queueing.intake import Intake
from forebay.store.queueing.messages import Messages
from forebay.store.queueing.ticket import CONFIRMED, DUPLICATE, REFUSED, UNROUTED, Outcomes, Ticket

HIGHEST = (1 << 64) - 1
"""Number of a message."""

_OUTCOMES = {
    UNROUTED: pb.OUTCOME_UNROUTED,
    DUPLICATE: pb.OUTCOME_DUPLICATE,
    CONFIRMED: pb.OUTCOME_CONFIRMED,
    REFUSED: pb.OUTCOME_REFUSED,
}

Publish = Callable[[Intake, Ticket, bytes], None]
"""Leads a batch to its queues, under the name of its publisher."""


class Publishing:
    """A `PublisherSession`. wake: called when `take` has something, or `octets` fell."""

    def __init__(
        self,
        name: str,
        publish: Publish,
        read: Callable[[Messages, str, int], Intake],
        closed: Callable[["Publishing"], None],
    ) -> None:
        """`read` makes columns of messages, or raises what is wrong with them. `closed` is called at the end."""
        self.wake: Callable[[], None] = lambda: None
        self.octets = 0
        """Octets of the messages without an outcome."""
        self._name = name
        self._publish = publish
        self._read = read
        self._closed = closed
        self._window = ConfirmWindow()
        self._next: int | None = None

    @property
    def unconfirmed(self) -> int:
        """Messages whose outcome was not taken yet."""
        return self._window.count

    def publish(self, first: int, messages: Messages) -> None:
        """Take messages in, of which the first has that number.

        Raises `InvalidArgumentError` for a number that is not the next, and for a message that is too large; then none
        of them was taken.
        """
        self._check(first, len(messages))
        intake = self._read(messages, self._name, first)
        self._next = first + len(intake)
        ticket = Ticket(first, len(intake), intake.octets, self._done)
        self.octets += ticket.octets
        self._window.add(ticket)
        self._publish(intake, ticket, self._name.encode())

    def _check(self, first: int, count: int) -> None:
        if self._next is not None and first != self._next:
            raise _wrong(f"{first} is not the next number: {self._next} is, numbers of a stream grow without gaps")
        if first + count - 1 > HIGHEST:
            raise _wrong(f"{first} is too high: numbers end at {HIGHEST}")

    def _done(self, ticket: Ticket) -> None:
        self.octets -= ticket.octets
        self.wake()

    def take(self) -> list[pb.Confirm]:
        """Outcomes since the last time, in the order of the messages."""
        return list(map(_confirm, self._window.take()))

    def close(self) -> None:
        """The stream is gone: nobody asks for outcomes any more."""
        self.wake = lambda: None
        self._closed(self)


def _confirm(run: Outcomes) -> pb.Confirm:
    return pb.Confirm(first=run.first, count=run.count, outcome=_OUTCOMES[run.outcome], reason=run.reason)


def _wrong(problem: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"first: {problem}", violations=[FieldViolation("first", problem)])
