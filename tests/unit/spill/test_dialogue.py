"""Questions are answered in their order; after the first thing that goes wrong, one by one."""

from collections import deque

import pytest
from redis.exceptions import ConnectionError, ResponseError

from forebay.spill.dialogue import Dialogue
from forebay.spill.errors import SpillUnavailableError


class FakeConnection:
    """Answers with these, or raises them; it takes `most` commands."""

    def __init__(self, *answers: object, most: int = 100) -> None:
        self.sent: list[bytes] = []
        self.answers = deque(answers)
        self.most = most
        self.is_open = True

    def send_packed_command(self, chunks: list[bytes]) -> None:
        if len(self.sent) == self.most:
            raise ConnectionError("gone")
        self.sent += chunks

    def read_response(self, disable_decoding: bool) -> object:
        answer = self.answers.popleft()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def disconnect(self) -> None:
        self.is_open = False


class FakePool:
    def __init__(self, connection: FakeConnection | None) -> None:
        self.connection = connection
        self.released: list[FakeConnection] = []

    def get_connection(self) -> FakeConnection:
        if self.connection is None:
            raise ConnectionError("away")
        return self.connection

    def release(self, connection: FakeConnection) -> None:
        self.released.append(connection)


class Alone:
    """Runs commands one by one; the one of that number fails."""

    def __init__(self, failing: str = "") -> None:
        self.ran: list[str] = []
        self._failing = failing

    def __call__(self, command: str) -> str:
        self.ran.append(command)
        if command == self._failing:
            raise SpillUnavailableError(command)
        return f"{command} alone"


def test_all_is_sent_before_anything_is_answered():
    connection, alone = FakeConnection("A", "B"), Alone()
    dialogue = Dialogue(FakePool(connection), alone)
    questions = [dialogue.ask((name,)) for name in "ab"]
    assert connection.sent == [b"*1\r\n$1\r\na\r\n", b"*1\r\n$1\r\nb\r\n"]
    assert [question.answer() for question in questions] == ["A", "B"]
    assert questions[0].answer() == "A"
    assert alone.ran == []


def test_answers_that_nobody_wanted_are_passed_over():
    dialogue = Dialogue(FakePool(FakeConnection("A", "B", "C")), Alone())
    *_, last = [dialogue.ask((name,)) for name in "abc"]
    assert last.answer() == "C"


@pytest.mark.parametrize("error", [ConnectionError("gone"), ResponseError("MOVED"), OSError("cut")])
def test_from_what_failed_on_all_is_run_alone_in_order(error):
    pool, alone = FakePool(FakeConnection("A", error, "C")), Alone()
    dialogue = Dialogue(pool, alone)
    questions = [dialogue.ask((name,)) for name in "abc"]
    assert [question.answer() for question in questions] == ["A", "b alone", "c alone"]
    assert alone.ran == ["b", "c"]
    assert not dialogue.is_sound
    assert pool.released == [pool.connection]
    assert not pool.connection.is_open


def test_what_stands_behind_a_failure_fails_unrun():
    alone = Alone("b")
    dialogue = Dialogue(FakePool(FakeConnection("A", ConnectionError("gone"))), alone)
    questions = [dialogue.ask((name,)) for name in "abc"]
    assert questions[0].answer() == "A"
    for question in questions[1:]:
        with pytest.raises(SpillUnavailableError, match="b"):
            question.answer()
    assert alone.ran == ["b"]


def test_what_cannot_be_sent_is_run_behind_what_was():
    alone = Alone()
    dialogue = Dialogue(FakePool(FakeConnection("A", most=1)), alone)
    questions = [dialogue.ask((name,)) for name in "ab"]
    assert alone.ran == ["a", "b"]
    assert [question.answer() for question in questions] == ["a alone", "b alone"]


def test_without_a_connection_commands_are_run_alone():
    dialogue = Dialogue(FakePool(None), Alone())
    assert dialogue.ask(("a",)).answer() == "a alone"
    assert not dialogue.is_sound
