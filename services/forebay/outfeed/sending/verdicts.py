"""What replies say of the articles: judged one by one only where they differ, and reported in bulk."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING

from forebay.outfeed.sending.ending import Cause, Ending
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.replies import (
    ACCEPTED,
    ENDING,
    MAX_LINE,
    OUTCOMES,
    TOO_LONG,
    WANTED,
    Command,
    contradicts,
    ending_of,
    is_reply,
    printable,
    without_id,
)
from forebay.outfeed.sending.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebay.outfeed.sending.company import Company
    from forebay.outfeed.sending.nocheck import NoCheckFilter
    from forebay.outfeed.sending.run import Sent
    from forebay.outfeed.token import Token

DECLINED = frozenset((b"431", b"438", b"439"))
"""Codes that count against skipping CHECK."""

ANY_ID = b"<>"
"""Stands for the message-id in the form that replies for the same reason have in common."""


class Verdicts:
    """The verdicts of one read, in the order of the replies.

    `wanted` holds the articles whose 238 or 335 came. `fault`, once set, is why the connection has to end; the reply
    that set it and those after it settle nothing.
    """

    def __init__(self, nocheck: NoCheckFilter, company: Company) -> None:
        self.wanted: list[Run] = []
        self.fault: Ending | None = None
        self._nocheck = nocheck
        self._company = company
        self._now_wanted: list[Token] = []
        self._settled: defaultdict[tuple[Outcome, bytes], list[Token]] = defaultdict(list)
        self._groups: dict[Command, dict[bytes, list[Token]]] = {command: {} for command in Command}

    def settled(self) -> Iterator[tuple[Outcome, list[Token], str]]:
        """Arguments for `Feed.settle`, one tuple for all articles with equal outcome and reply."""
        for (outcome, reply), tokens in self._settled.items():
            yield outcome, tokens, printable(reply)

    def alike(self, run: Sent, tokens: list[Token], code: bytes) -> None:
        """All of `tokens`, which are of `run`, got `code` with their message-ids and nothing else."""
        self._group(run.command, code).extend(tokens)
        self._keep_wanted(run)
        self._count(run.command, code, tokens)

    def judge(self, run: Sent, tokens: list[Token], lines: Iterator[bytes]) -> int:
        """Judge `tokens`, which are of `run`, by as many lines; returns how many came before a fault.

        Replies that are equal but for the message-id are judged once.
        """
        groups = self._groups[run.command]
        codes: list[bytes] = []
        for token, line in zip(tokens, lines, strict=False):
            form = line.replace(token[0], ANY_ID, 1)
            group = groups.get(form)
            if group is None:
                self.fault = self._fault(line, form, token.message_id)
                if self.fault:
                    break
                group = groups[form] = self._group(run.command, form)
            group.append(token)
            codes.append(line[:3])
        self._keep_wanted(run)
        first = 0
        for code, alike in groupby(codes):
            end = first + sum(1 for _ in alike)
            self._count(run.command, code, tokens[first:end])
            first = end
        return len(codes)

    def unasked(self, line: bytes) -> None:
        """A reply came while no command was unanswered."""
        self.fault = self._fault(line, line, b"") or _broken("a reply without a command", line)

    def _fault(self, line: bytes, form: bytes, message_id: bytes) -> Ending | None:
        """Why the connection cannot go on after the reply, if so. `form` alone decides: it need not be asked twice."""
        if len(form) > MAX_LINE:
            return TOO_LONG
        if not is_reply(form):
            return _broken("not an NNTP reply", line)
        if form[:3] in ENDING:
            return ending_of(line)
        if message_id and contradicts(form, ANY_ID):
            return _broken(f"expected the reply for {printable(message_id)}, got", line)
        return None

    def _group(self, command: Command, form: bytes) -> list[Token]:
        """Where the articles go that get this reply."""
        code = form[:3]
        if WANTED.get(command) == code:
            return self._now_wanted
        # What is said beside good news differs by article with some servers, and would break up the bulk.
        reply = code if code in ACCEPTED else without_id(form, ANY_ID)
        return self._settled[OUTCOMES[command].get(code, Outcome.FAILED), reply]

    def _keep_wanted(self, run: Sent) -> None:
        if self._now_wanted:
            self.wanted.append(Run(run.rank, self._now_wanted.copy()))
            self._now_wanted.clear()

    def _count(self, command: Command, code: bytes, tokens: list[Token]) -> None:
        self._company.note(command, code, tokens)
        if code in ACCEPTED:
            self._nocheck.accepted(len(tokens))
        elif code in DECLINED:
            self._nocheck.declined(len(tokens))


def _broken(problem: str, line: bytes) -> Ending:
    return Ending(Cause.PROTOCOL_ERROR, f"{problem}: {printable(line)[:200]}")
