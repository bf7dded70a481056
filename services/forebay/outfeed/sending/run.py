"""Runs: tokens that a connection handles together, so that no queue of it is walked token by token."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate, chain
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterable

    from forebay.outfeed.sending.feed import Bodies
    from forebay.outfeed.sending.replies import Command
    from forebay.outfeed.token import Token

_message_id = itemgetter(0)
_size = itemgetter(4)


@dataclass(slots=True)
class Run:
    """Tokens that came from the feed together and are at the same stage, in order. `rank` numbers what came."""

    rank: int
    tokens: list[Token]


@dataclass(slots=True)
class Sent(Run):
    """A run whose commands were sent. `at` is when; `answered` counts those whose replies came, from the first on."""

    command: Command
    at: float
    answered: int = 0
    message_ids: list[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.message_ids = list(map(_message_id, self.tokens))

    def __len__(self) -> int:
        """How many are not answered."""
        return len(self.tokens) - self.answered

    def rest(self, limit: int | None = None) -> list[Token]:
        """The tokens that are not answered, the first `limit` of them."""
        return self.tokens[self.answered : None if limit is None else self.answered + limit]


def tokens_of(runs: Iterable[Run]) -> list[Token]:
    """All tokens of the runs."""
    return list(chain.from_iterable(run.tokens for run in runs))


def pop_bytes(queue: deque[Run], limit: int) -> list[Run]:
    """Take articles from the head of the queue until they hold `limit` octets; at least one, if there is one."""
    popped: list[Run] = []
    while queue and limit > 0:
        run = queue.popleft()
        count = octets = 0
        # No further than need be: of a long run every call would go through all that is left.
        for count, octets in enumerate(accumulate(map(_size, run.tokens)), 1):  # noqa: B007
            if octets >= limit:
                break
        if count < len(run.tokens):
            queue.appendleft(Run(run.rank, run.tokens[count:]))
            run = Run(run.rank, run.tokens[:count])
        limit -= octets
        popped.append(run)
    return popped


def part_missing(runs: Iterable[Run], bodies: Bodies) -> list[Token]:
    """Take the tokens out of `runs` whose bodies are None, and return them."""
    missing: list[Token] = []
    remaining = iter(bodies)
    for run in runs:
        pairs = list(zip(run.tokens, remaining, strict=False))
        run.tokens = [token for token, body in pairs if body is not None]
        missing += [token for token, body in pairs if body is None]
    return missing


def in_order(stages: Iterable[Run]) -> list[Token]:
    """The tokens as they came from the feed. Of runs with equal rank the more advanced stage comes first."""
    return tokens_of(sorted(stages, key=lambda run: run.rank))
