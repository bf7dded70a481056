"""Batches of one publisher whose outcomes have not gone out: they go out in order, as runs."""

from collections import deque

from forebay.store.queueing.ticket import Outcomes, Ticket


class ConfirmWindow:
    """Tickets in the order of their numbers."""

    def __init__(self) -> None:
        self._tickets: deque[Ticket] = deque()
        self.count = 0
        """Messages."""

    def add(self, ticket: Ticket) -> None:
        """A batch came in."""
        self._tickets.append(ticket)
        self.count += ticket.count

    @property
    def due(self) -> bool:
        """There is something to take."""
        return bool(self._tickets) and self._tickets[0].finished

    def take(self) -> list[Outcomes]:
        """Outcomes that are known, up to the first that is not; neighbours that are alike become one."""
        runs: list[Outcomes] = []
        while self.due:
            ticket = self._tickets.popleft()
            self.count -= ticket.count
            for run in ticket.outcomes():
                last = runs[-1] if runs else None
                if last and (last.outcome, last.reason) == (run.outcome, run.reason):
                    runs[-1] = last._replace(count=last.count + run.count)
                else:
                    runs.append(run)
        return runs
