"""Reply lines: cutting, codes, message-ids, texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.sending.replies import (
    MAX_LINE,
    ReplyBuffer,
    contradicts,
    is_reply,
    printable,
    split,
    without_id,
)


def test_lines_are_cut_at_line_ends():
    assert split(b"238 <a@b>\r\n438 <c@d>\r\n") == [b"238 <a@b>", b"438 <c@d>"]


def test_a_bare_line_feed_ends_a_line():
    assert split(b"238 <a@b>\n438 <c@d>\r\n") == [b"238 <a@b>", b"438 <c@d>"]


@given(st.lists(st.binary(max_size=20)))
def test_chunks_join_to_the_same_lines(chunks):
    buffer = ReplyBuffer()
    pieces = b"".join(buffer.add(chunk) for chunk in chunks)
    whole = b"".join(chunks)
    assert pieces == whole[: whole.rfind(b"\n") + 1]


def test_an_unfinished_line_is_bounded():
    buffer = ReplyBuffer()
    buffer.add(b"2" * 2 * MAX_LINE)
    assert not buffer.overlong
    buffer.add(b"2")
    assert buffer.overlong


@pytest.mark.parametrize("line", [b"238 <a@b>", b"205", b"400 ", b"501 syntax"])
def test_three_digits_begin_a_reply(line):
    assert is_reply(line)


@pytest.mark.parametrize("line", [b"", b"20", b"2000", b"SSH-2.0-x", b"23x <a@b>", b"238\t<a@b>"])
def test_anything_else_is_no_reply(line):
    assert not is_reply(line)


@pytest.mark.parametrize("code", [b"238", b"239", b"431", b"436", b"438", b"439"])
def test_another_message_id_contradicts(code):
    assert contradicts(code + b" <x@y>", b"<a@b>")
    assert contradicts(code + b"  <x@y> text", b"<a@b>")


@pytest.mark.parametrize("line", [b"238", b"238 ", b"438 bad id", b"239 <a@b>", b"239 <a@b> ok", b"501 <id> expected"])
def test_the_same_or_no_message_id_does_not_contradict(line):
    assert not contradicts(line, b"<a@b>")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"438 <a@b>", b"438"),
        (b"439 <a@b> Duplicate", b"439 Duplicate"),
        (b"439  <a@b>  Too  old", b"439 Too  old"),
        (b"501 Syntax error", b"501 Syntax error"),
        (b"239", b"239"),
    ],
)
def test_a_reason_has_no_message_id(line, expected):
    assert without_id(line, b"<a@b>") == expected


def test_a_printable_reply_holds_no_control_characters():
    assert printable(b"400 \x1b[31mred\xff\r") == "400 \ufffd[31mred\ufffd\ufffd"


def test_a_printable_reply_is_bounded():
    assert len(printable(b"4" * 1_000_000)) == MAX_LINE
