"""Failures between proper answers are found, whatever the reads that they come in; those in a row are not."""

import pytest

from forebay.outfeed.sending.company import Company
from forebay.outfeed.sending.replies import Command
from recordingfeed import tokens

ONE, TWO, THREE, FOUR = tokens(4)


def found_after(*answers):
    company = Company()
    for command, code, token in answers:
        company.note(command, code, [token])
    return company.found()


@pytest.mark.parametrize(
    ("command", "proper"),
    [
        (Command.CHECK, b"238"),
        (Command.CHECK, b"438"),
        (Command.CHECK, b"431"),
        (Command.TAKETHIS, b"239"),
        (Command.TAKETHIS, b"439"),
        (Command.IHAVE, b"335"),
        (Command.IHAVE, b"435"),
        (Command.ARTICLE, b"235"),
        (Command.ARTICLE, b"437"),
    ],
)
def test_a_failure_before_a_proper_answer_to_the_same_command_is_found(command, proper):
    assert found_after((command, b"501", ONE), (command, b"599", TWO), (command, proper, THREE)) == [ONE, TWO]


def test_a_proper_answer_to_another_command_tells_nothing():
    assert not found_after((Command.CHECK, b"238", ONE), (Command.TAKETHIS, b"500", ONE), (Command.CHECK, b"238", TWO))


def test_what_was_proper_before_tells_nothing():
    assert not found_after((Command.CHECK, b"238", ONE), (Command.CHECK, b"501", TWO), (Command.CHECK, b"501", THREE))


def test_a_code_of_another_command_is_a_failure():
    assert found_after((Command.CHECK, b"239", ONE), (Command.CHECK, b"238", TWO)) == [ONE]


def test_each_is_found_once():
    company = Company()
    company.note(Command.CHECK, b"501", [ONE])
    company.note(Command.CHECK, b"238", [TWO])
    assert company.found() == [ONE]
    company.note(Command.CHECK, b"438", [THREE])
    assert not company.found()
