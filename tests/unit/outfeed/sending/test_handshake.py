"""The dialogue before the first article."""

import pytest

from forebay.outfeed.sending.handshake import Handshake


@pytest.mark.parametrize("greeting", [b"200 welcome", b"201 no posting", b"200"])
def test_after_the_greeting_comes_mode_stream(greeting):
    handshake = Handshake()
    assert handshake.answer(greeting) == b"MODE STREAM\r\n"
    assert not handshake.done
    assert handshake.awaiting == "MODE STREAM"


def test_a_203_ends_the_handshake():
    handshake = Handshake()
    handshake.answer(b"200 welcome")
    assert handshake.answer(b"203 streaming") == b""
    assert handshake.done
    assert handshake.refusal is None


@pytest.mark.parametrize("line", [b"400 come back later", b"502 no permission", b"480 who are you", b"205 bye"])
def test_any_other_greeting_is_a_refusal_with_its_text(line):
    handshake = Handshake()
    assert handshake.answer(line) == b""
    assert handshake.refusal == f"greeted with: {line.decode()}"


@pytest.mark.parametrize("line", [b"SSH-2.0-OpenSSH", b"", b"\x16\x03\x01", b"HTTP/1.1 400 Bad Request"])
def test_another_protocol_is_named_as_such(line):
    handshake = Handshake()
    handshake.answer(line)
    assert "is this a news server?" in handshake.refusal


@pytest.mark.parametrize("line", [b"500 what?", b"501 not streaming", b"200 hm"])
def test_a_peer_without_streaming_is_refused(line):
    handshake = Handshake()
    handshake.answer(b"200 welcome")
    handshake.answer(line)
    assert handshake.refusal == f"the peer does not stream: MODE STREAM was answered: {line.decode()}"
    assert not handshake.done


@pytest.mark.parametrize("line", [b"400 too busy", b"480 log in first", b"502 no", b"503 not here"])
def test_an_ending_code_is_not_taken_for_missing_streaming(line):
    handshake = Handshake()
    handshake.answer(b"200 welcome")
    handshake.answer(line)
    assert handshake.refusal == f"MODE STREAM was answered: {line.decode()}"


def test_a_refusal_is_bounded():
    handshake = Handshake()
    handshake.answer(b"400 " + b"x" * 900)
    assert len(handshake.refusal) < 300
