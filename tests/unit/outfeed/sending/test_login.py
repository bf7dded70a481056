"""User names and passwords that NNTP can carry."""

import pytest

from forebay.outfeed.sending.login import LONGEST, argument_problem


@pytest.mark.parametrize("text", ["feeder", "p@ss:word!", "\N{GREEK SMALL LETTER OMEGA}" * 100, "x" * LONGEST])
def test_what_is_one_word_can_be_sent(text):
    assert argument_problem(text) == ""


@pytest.mark.parametrize("text", ["two words", "secret\n", "secret\r", "tab\there", "\x00", "del\x7f"])
def test_what_would_break_the_command_cannot(text):
    problem = argument_problem(text)
    assert "take it out" in problem
    assert text not in problem


@pytest.mark.parametrize(("text", "problem"), [("", "is empty"), ("x" * (LONGEST + 1), "at most 496")])
def test_a_text_has_a_length(text, problem):
    assert problem in argument_problem(text)
