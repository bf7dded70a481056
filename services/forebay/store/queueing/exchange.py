"""Leads batches of messages to the queues that their addresses reach, each content kept once."""

import os
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import repeat
from struct import Struct

import structlog

from forebay.msgstore import Put
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.queueing import deadletters
from forebay.store.queueing.admission import Admission
from forebay.store.queueing.intake import Intake
from forebay.store.queueing.messages import Messages
from forebay.store.queueing.queueprocess import QueueProcess
from forebay.store.queueing.rounds import Rounds
from forebay.store.queueing.routing import Routes
from forebay.store.queueing.ticket import UNROUTED, Ticket

log = structlog.stdlib.get_logger(__name__)

_ID = Struct(">8sQ")
"""Octets of this start, and a number of this start's."""

Admitted = Sequence[tuple[QueueProcess, Admission]]


class Exchange:
    """Publishes to queues by name. What happens within one call happens at one instant."""

    def __init__(self, rounds: Rounds) -> None:
        self.routes = Routes()
        self.queues: Mapping[str, QueueProcess] = {}
        self._rounds = rounds
        self._start = os.urandom(8)
        self._ids = 0

    def publish(self, intake: Intake, ticket: Ticket, name: bytes) -> None:
        """Take a batch in; the ticket gets the outcomes. name: publisher, whose numbers count from the ticket's."""
        intake.ids = self._new_ids(len(intake))
        shares = self._shares(intake)
        admitted = [(queue, queue.admit(intake, positions, name, ticket.first)) for queue, positions in shares]
        self._enter(intake, ticket, admitted, widths(shares, len(intake)))
        if name:
            for queue, admission in admitted:
                queue.number(name, ticket.first, admission)
        ticket.close()

    def forward(self, letters: Sequence[pb.Message], taken_ms: int, done: Callable[[Set[int]], None]) -> None:
        """Publish dead letters of one address; `done` gets the positions of those that a crash may have lost."""
        intake = Intake(Messages.of(letters), taken_ms, letters=True)
        intake.ids = self._new_ids(len(letters))
        ticket = Ticket(0, len(letters), 0, lambda ticket: self._forwarded(ticket, letters, done))
        allowed = ((queue, _without_cycles(queue, intake)) for queue in self._reached(letters[0].address))
        shares = [(queue, positions) for queue, positions in allowed if positions]
        admitted = [(queue, queue.admit(intake, positions, b"", 0)) for queue, positions in shares]
        self._enter(intake, ticket, admitted, widths(shares, len(intake)))
        ticket.close()

    def _forwarded(self, ticket: Ticket, letters: Sequence[pb.Message], done: Callable[[Set[int]], None]) -> None:
        dropped = sum(run.count for run in ticket.outcomes() if run.outcome == UNROUTED)
        if dropped:
            reason = "no queue is bound there, or they would go round for ever"
            log.warning("dead letters are dropped", address=letters[0].address, count=dropped, reason=reason)
        done(ticket.broken)

    def _shares(self, intake: Intake) -> list[tuple[QueueProcess, Sequence[int]]]:
        """For each queue that gets some of a batch the positions of its messages, in order."""
        addresses = intake.addresses
        if addresses.count(addresses[0]) == len(addresses):
            return [(queue, intake.positions) for queue in self._reached(addresses[0])]
        shares: dict[str, list[int]] = {}
        for position, address in enumerate(addresses):
            for name in self.routes.queues(address):
                shares.setdefault(name, []).append(position)
        return [(self.queues[name], positions) for name, positions in shares.items()]

    def _reached(self, address: str) -> list[QueueProcess]:
        return [self.queues[name] for name in self.routes.queues(address)]

    def _enter(self, intake: Intake, ticket: Ticket, admitted: Admitted, queues: Sequence[int]) -> None:
        """Contents that no index will have go to the message stores; then each queue takes its part.

        queues: for each message, how many queues it reaches.
        """
        embedded = intake.embedded(queues)
        if False in embedded:
            self._put(intake, admitted, embedded)
        for queue, admission in admitted:
            spec = queue.spec
            arrivals = intake.arrivals(
                admission.kept,
                embedded,
                ttl_ms=spec.ttl_ms,
                durable=spec.durable,
                priorities=spec.max_priority > 0,
            )
            queue.enter(arrivals, admission, intake, ticket)

    def _put(self, intake: Intake, admitted: Admitted, embedded: Sequence[bool]) -> None:
        """Store contents once, with a reference for each queue that keeps the message."""
        durable: dict[int, int] = {}
        passing: dict[int, int] = {}
        for queue, admission in admitted:
            for position in admission.kept:
                if not embedded[position]:
                    lasts = queue.spec.durable and not intake.transients[position]
                    references = durable if lasts else passing
                    references[position] = references.get(position, 0) + 1
        for references, persistent in ((durable, True), (passing, False)):
            puts = [
                Put(intake.ids[position], (intake.contents[position],), number)
                for position, number in references.items()
            ]
            if puts:
                self._rounds.put(puts, persistent=persistent)

    def _new_ids(self, number: int) -> list[bytes]:
        first = self._ids
        self._ids += number
        return list(map(_ID.pack, repeat(self._start), range(first, self._ids)))


def widths(shares: Sequence[tuple[object, Sequence[int]]], count: int) -> list[int]:
    """For each of so many messages, in how many of the shares it is."""
    if all(len(positions) == count for _, positions in shares):
        return [len(shares)] * count
    numbers = [0] * count
    for _, positions in shares:
        for position in positions:
            numbers[position] += 1
    return numbers


def _without_cycles(queue: QueueProcess, intake: Intake) -> Sequence[int]:
    """The letters that may go to a queue."""
    name = queue.spec.name
    letters = enumerate(intake.messages.read)
    return [position for position, letter in letters if not deadletters.cycles(letter.deaths, name)]
