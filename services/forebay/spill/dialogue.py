"""Commands that are sent to Redis before those ahead of them are answered, so that neither side waits for the other."""

from collections import deque
from collections.abc import Callable
from typing import Any

from hiredis import pack_command
from redis.connection import Connection, ConnectionPool
from redis.exceptions import RedisError

from forebay.spill.errors import SpillError
from forebay.spill.link import Reply

Run = Callable[..., Reply]
"""Runs one command and makes up for what goes wrong on the way. Raises `SpillError`."""


class Question:
    """A command, and its answer once somebody wants it."""

    def __init__(self, command: tuple[Any, ...], dialogue: "Dialogue | None" = None) -> None:
        self.command = command
        self._dialogue = dialogue
        self._answer: Reply = None
        self._error: SpillError | None = None

    def answer(self) -> Reply:
        """Wait for it. Raises `SpillError`."""
        if self._dialogue is not None:
            self._dialogue.settle(self)
        if self._error is not None:
            raise self._error
        return self._answer

    @property
    def is_settled(self) -> bool:
        """Whether there is an answer, or never will be one."""
        return self._dialogue is None

    def settle(self, answer: Reply) -> None:
        """Here is the answer."""
        self._answer, self._dialogue = answer, None

    def fail(self, error: SpillError) -> None:
        """There will be none."""
        self._error, self._dialogue = error, None


class Dialogue:
    """A connection of its own, whose answers come in the order of the questions.

    Whatever goes wrong, an error that Redis answers with included, ends it. Each command that was not answered by then
    is run once more, in order, until one fails: those behind it may stand on it, and fail as well.
    """

    def __init__(self, pool: ConnectionPool, run: Run) -> None:
        """Connects with the first question."""
        self.is_sound = True
        self._pool = pool
        self._run = run
        self._open: deque[Question] = deque()
        self._held: Connection | None = None

    def ask(self, command: tuple[Any, ...]) -> Question:
        """Send a command."""
        question = Question(command, self)
        self._open.append(question)
        try:
            self._connection.send_packed_command([pack_command(command)])  # type: ignore[no-untyped-call]
        except (RedisError, OSError):
            self._end()
        return question

    def settle(self, question: Question) -> None:
        """Wait for the answer to a question, and so for all ahead of it."""
        while not question.is_settled:
            try:
                answer = self._connection.read_response(disable_decoding=True)
            except (RedisError, OSError):
                self._end()
            else:
                self._open.popleft().settle(answer)

    @property
    def _connection(self) -> Connection:
        if self._held is None:
            self._held = self._pool.get_connection()
        return self._held

    def _end(self) -> None:
        self.is_sound = False
        if self._held is not None:
            self._held.disconnect()  # type: ignore[no-untyped-call]
            self._pool.release(self._held)
            self._held = None
        error: SpillError | None = None
        while self._open:
            error = asked_alone(self._open[0], self._run, error)
            self._open.popleft()


def asked_alone(question: Question, run: Run, error: SpillError | None = None) -> SpillError | None:
    """Run the command of a question, unless an error keeps it from being run; what became of it is returned."""
    if error is None:
        try:
            question.settle(run(*question.command))
        except SpillError as failure:
            error = failure
    if error is not None:
        question.fail(error)
    return error
