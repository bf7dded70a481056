"""Clients that are attached, and what each of them has declared."""

from __future__ import annotations

import secrets
from collections import Counter, deque
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, Protocol, TypeVar

from forebay.runtime.errors import NotFoundError, ResourceExhaustedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from forebay.conduit.core.declarations.events import DeclarationEvent

TOKEN_OCTETS = 16
MOST_CLIENTS = 10_000
MOST_EVENTS = 1000
"""Events that wait for one client to read them; of more the oldest are not told, but counted."""


class Quota(Enum):
    """What is counted together."""

    RESOURCES = "resources"
    PUBLISHERS = "publishers"
    SUBSCRIBERS = "subscribers"


class Declared(Protocol):
    """Something that a client has declared."""

    quota: Quota

    def forget(self) -> None:
        """Forget it."""


D = TypeVar("D", bound=Declared)


class Attachment:
    """One client."""

    def __init__(self, program: str, names: tuple[str, ...]) -> None:
        """`program`: for people; `names`: those of its certificate."""
        self.token = secrets.token_bytes(TOKEN_OCTETS)
        """Whoever knows it may declare for the client."""
        self.program = program
        self.names = names
        self.declared: dict[int, Declared] = {}
        """By number."""
        self.wake: Callable[[], None] = _nobody
        """Called when there are events."""
        self.missed = 0
        self._events: deque[DeclarationEvent] = deque()

    def note(self, event: DeclarationEvent) -> None:
        """Something was refused, or contradicts something else."""
        self._events.append(event)
        if len(self._events) > MOST_EVENTS:
            self._events.popleft()
            self.missed += 1
        self.wake()

    def take(self) -> tuple[list[DeclarationEvent], int]:
        """Events that were not told yet, and how many are missed before them."""
        events, missed = list(self._events), self.missed
        self._events.clear()
        self.missed = 0
        return events, missed


class Attachments:
    """All clients. Numbers of declarations are the node's: no two clients have the same."""

    def __init__(self) -> None:
        self._clients: dict[bytes, Attachment] = {}
        self._numbers = count(1)
        self._counts: Counter[Quota] = Counter()

    def __len__(self) -> int:
        return len(self._clients)

    def __iter__(self) -> Iterator[Attachment]:
        return iter(self._clients.values())

    def counted(self, quota: Quota) -> int:
        """How many of them clients have."""
        return self._counts[quota]

    def attach(self, program: str, names: tuple[str, ...]) -> Attachment:
        """A client is there. Raises `ResourceExhaustedError`."""
        if len(self._clients) >= MOST_CLIENTS:
            raise ResourceExhaustedError(f"{MOST_CLIENTS} clients are attached: end some", reason="TOO_MANY_CLIENTS")
        client = Attachment(program, names)
        self._clients[client.token] = client
        return client

    def detach(self, client: Attachment) -> None:
        """It is gone, and all that it has declared with it."""
        del self._clients[client.token]
        for number in reversed(list(client.declared)):
            self._forget(client, number)

    def find(self, token: bytes, names: tuple[str, ...]) -> Attachment:
        """Who has that token, and shows the same certificate. Raises `NotFoundError`."""
        client = self._clients.get(token)
        if client is None or client.names != names:
            raise NotFoundError("no such client is attached: call Attach, and declare anew", reason="NOT_ATTACHED")
        return client

    def declare(self, client: Attachment, quota: Quota, limit: int, make: Callable[[], Declared]) -> int:
        """What is made is the client's; returns its number. Raises `ResourceExhaustedError`, and what `make` raises."""
        if self._counts[quota] >= limit:
            raise ResourceExhaustedError(
                f"clients have {self._counts[quota]} {quota.value}, and limits.{quota.value} is {limit}: undeclare "
                "some, or raise it",
                reason=f"TOO_MANY_{quota.name}",
                facts={"limit": str(limit)},
            )
        declared = make()
        number = next(self._numbers)
        client.declared[number] = declared
        self._counts[quota] += 1
        return number

    def undeclare(self, client: Attachment, number: int) -> None:
        """Forget a declaration. Raises `NotFoundError`."""
        if number not in client.declared:
            raise missing(number, "declaration")
        self._forget(client, number)

    def get(self, client: Attachment, number: int, kind: type[D]) -> D:
        """A declaration of a kind. Raises `NotFoundError`."""
        found = client.declared.get(number)
        if not isinstance(found, kind):
            raise missing(number, kind.__name__.lower())
        return found

    def _forget(self, client: Attachment, number: int) -> None:
        declared = client.declared.pop(number)
        self._counts[declared.quota] -= 1
        declared.forget()


def missing(number: int, what: str) -> NotFoundError:
    """There is no such declaration."""
    return NotFoundError(f"the client has no {what} {number}: declare one", reason="NOT_DECLARED")


def _nobody() -> None:
    """Nobody reads."""
