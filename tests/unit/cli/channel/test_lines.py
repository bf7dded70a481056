"""What a line from innd says."""

import pytest

from forebay.cli.channel.lines import Instruction, Stored, is_instruction, read_line

TOKEN = "@0502000005A4000000010000000000000000@"


@pytest.mark.parametrize(
    "line",
    [TOKEN, f"{TOKEN} <1@x>", f"{TOKEN} <1@x> east west", f"<1@x> {TOKEN}", f"  {TOKEN}\r"],
    ids=["Wn", "Wnm", "Wnm*", "Wmn", "blanks"],
)
def test_a_token_is_found_wherever_it_stands(line):
    assert read_line(line) == Stored(TOKEN, line)
    assert read_line(line).is_token


@pytest.mark.parametrize("line", ["/news/spool/1 <1@x>", "test/feed/1"])
def test_a_path_comes_first(line):
    assert (read_line(line).place, read_line(line).is_token) == (line.split()[0], False)


@pytest.mark.parametrize(
    ("line", "instruction"),
    [
        ("!flush", Instruction("flush")),
        ("!FLUSH west", Instruction("flush", ("west",))),
        ("!newgroup test.new y", Instruction("newgroup", ("test.new", "y"))),
    ],
)
def test_an_instruction_begins_with_an_exclamation_mark(line, instruction):
    assert read_line(line) == instruction
    assert is_instruction(line)
    assert not is_instruction(TOKEN)


@pytest.mark.parametrize(
    ("line", "problem"), [("", "is empty"), ("<1@x> 1234", "give the flag Wn"), ("@12@", "names no article")]
)
def test_a_line_that_names_no_article_is_told(line, problem):
    with pytest.raises(ValueError, match=problem):
        read_line(line)
