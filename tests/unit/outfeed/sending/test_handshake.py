"""The dialogue before the first article."""

import pytest

from forebay.outfeed.sending.ending import Cause
from forebay.outfeed.sending.handshake import Handshake, Wishes
from forebay.outfeed.sending.login import Login
from forebay.runtime.secret import Secret


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
    assert handshake.streams
    assert handshake.refusal is None


@pytest.mark.parametrize("line", [b"400 come back later", b"502 no permission", b"480 who are you", b"205 bye"])
def test_any_other_greeting_is_a_refusal_with_its_text(line):
    handshake = Handshake()
    assert handshake.answer(line) == b""
    assert handshake.refusal.reason.endswith(f"greeted with: {line.decode()}")


@pytest.mark.parametrize("line", [b"SSH-2.0-OpenSSH", b"", b"\x16\x03\x01", b"HTTP/1.1 400 Bad Request"])
def test_another_protocol_is_named_as_such(line):
    handshake = Handshake()
    handshake.answer(line)
    assert "is this a news server?" in handshake.refusal.reason


@pytest.mark.parametrize("line", [b"500 what?", b"501 not streaming", b"200 hm"])
def test_a_peer_without_streaming_can_be_fed_otherwise(line):
    handshake = Handshake()
    handshake.answer(b"200 welcome")
    assert handshake.answer(line) == b""
    assert handshake.refusal is None
    assert handshake.done
    assert not handshake.streams


def test_streaming_need_not_be_asked_for():
    handshake = Handshake(Wishes(streaming=False))
    assert handshake.answer(b"200 welcome") == b""
    assert (handshake.done, handshake.streams) == (True, False)


@pytest.mark.parametrize("line", [b"400 too busy", b"480 log in first", b"502 no", b"503 not here"])
def test_an_ending_code_is_not_taken_for_missing_streaming(line):
    handshake = Handshake()
    handshake.answer(b"200 welcome")
    handshake.answer(line)
    assert handshake.refusal.reason.endswith(f"MODE STREAM was answered: {line.decode()}")


def test_a_refusal_is_bounded():
    handshake = Handshake()
    handshake.answer(b"400 " + b"x" * 900)
    assert len(handshake.refusal.reason) < 300


# With a login

LOGIN = Login("feeder", Secret("hunter2"))


def logging_in(*lines):
    """A handshake after these lines, and what it sent last."""
    handshake, sent = Handshake(Wishes(login=LOGIN)), b""
    for line in lines:
        sent = handshake.answer(line)
    return handshake, sent


def test_a_login_comes_before_mode_stream():
    handshake = Handshake(Wishes(login=LOGIN))
    assert handshake.answer(b"200 welcome") == b"AUTHINFO USER feeder\r\n"
    assert handshake.answer(b"381 password") == b"AUTHINFO PASS hunter2\r\n"
    assert handshake.answer(b"281 hello feeder") == b"MODE STREAM\r\n"
    handshake.answer(b"203 streaming")
    assert handshake.done


def test_a_user_may_need_no_password():
    assert logging_in(b"200 welcome", b"281 I know you")[1] == b"MODE STREAM\r\n"


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        (b"481 wrong", "does not accept the user name and password"),
        (b"482 not now", "the order of the login"),
        (b"483 not in plain", "without TLS"),
        (b"480 use SASL", "another way to log in"),
        (b"500 what?", "knows no AUTHINFO"),
        (b"502 no need", "leave spec.auth out"),
        (b"599 hm", "the login went wrong"),
    ],
)
@pytest.mark.parametrize("before", [[], [b"381 password"]], ids=["USER", "PASS"])
def test_a_refused_login_tells_what_it_means(before, line, meaning):
    handshake, sent = logging_in(b"200 welcome", *before, line)
    assert sent == b""
    assert handshake.refusal.cause is Cause.AUTH_FAILED
    assert meaning in handshake.refusal.reason
    assert handshake.refusal.reason.endswith(line.decode())


def test_a_second_question_for_the_password_is_no_success():
    handshake, _ = logging_in(b"200 welcome", b"381 password", b"381 password")
    assert handshake.refusal.cause is Cause.AUTH_FAILED


def test_a_server_that_ends_during_the_login_has_not_refused_it():
    handshake, _ = logging_in(b"200 welcome", b"400 too busy")
    assert handshake.refusal == (Cause.REFUSED, "AUTHINFO USER was answered: 400 too busy")


def test_the_password_shows_nowhere():
    handshake, _ = logging_in(b"200 welcome", b"381 password", b"500 unknown command AUTHINFO PASS hunter2")
    assert handshake.refusal.reason.endswith("AUTHINFO PASS was answered: 500")
    assert handshake.awaiting == "AUTHINFO PASS"
    assert "hunter2" not in repr(LOGIN)


@pytest.mark.parametrize("lines", [[b"480 log in"], [b"200 welcome", b"480 log in"]])
def test_a_peer_that_wants_a_login_says_so(lines):
    handshake = Handshake()
    for line in lines:
        handshake.answer(line)
    assert handshake.refusal.cause is Cause.AUTH_FAILED
    assert "the peer wants a login, see spec.auth" in handshake.refusal.reason


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        ([b"400 busy"], Cause.REFUSED),
        ([b"SSH-2.0"], Cause.PROTOCOL_ERROR),
        ([b"200 hello", b"502 no"], Cause.REFUSED),
    ],
)
def test_a_refusal_has_a_cause(lines, cause):
    handshake = Handshake()
    for line in lines:
        handshake.answer(line)
    assert handshake.refusal.cause is cause


# With TLS and compression


def after(wishes, *lines):
    """A handshake after these lines, and what it sent last."""
    handshake, sent = Handshake(wishes), b""
    for line in lines:
        sent = handshake.answer(line)
    return handshake, sent


def test_starttls_comes_before_everything_that_is_secret():
    handshake, sent = after(Wishes(starttls=True, login=LOGIN, compress=True), b"200 welcome")
    assert sent == b"STARTTLS\r\n"
    assert handshake.answer(b"382 go on") == b""
    assert handshake.securing
    assert handshake.secured() == b"AUTHINFO USER feeder\r\n"
    assert not handshake.securing
    handshake.answer(b"381 password")
    assert handshake.answer(b"281 hello") == b"CAPABILITIES\r\n"
    assert handshake.answer(b"500 what?") == b"COMPRESS DEFLATE\r\n"
    assert handshake.answer(b"206 it is") == b"MODE STREAM\r\n"
    assert handshake.compresses


@pytest.mark.parametrize(
    ("line", "cause"), [(b"580 no", Cause.TLS_FAILED), (b"502 no", Cause.TLS_FAILED), (b"400 busy", Cause.REFUSED)]
)
def test_a_peer_that_does_not_secure_is_told_no_password(line, cause):
    handshake, sent = after(Wishes(starttls=True, login=LOGIN), b"200 welcome", line)
    assert sent == b""
    assert handshake.refusal.cause is cause


@pytest.mark.parametrize("line", [b"403 cannot", b"500 what?", b"501 what?", b"502 no", b"503 not here"])
def test_a_peer_need_not_compress(line):
    handshake, sent = after(Wishes(compress=True), b"200 welcome", b"500 what?", line)
    assert sent == b"MODE STREAM\r\n"
    assert not handshake.compresses


def test_a_peer_that_wants_a_login_for_compression_says_so():
    for before in ([], [b"500 what?"]):
        handshake, _ = after(Wishes(compress=True), b"200 welcome", *before, b"480 log in")
        assert handshake.refusal.cause is Cause.AUTH_FAILED


def listing(*capabilities):
    """A handshake that was told these, and what it sent then."""
    return after(Wishes(compress=True), b"200 welcome", b"101 I can", b"VERSION 2", *capabilities, b".")


def test_what_the_peer_can_do_is_asked_only_where_that_matters():
    assert after(Wishes(), b"200 welcome")[1] == b"MODE STREAM\r\n"
    assert after(Wishes(compress=True), b"200 welcome")[1] == b"CAPABILITIES\r\n"


@pytest.mark.parametrize("offered", [b"COMPRESS DEFLATE", b"compress lzma deflate"])
def test_a_peer_that_offers_to_compress_is_asked_to(offered):
    handshake, sent = listing(b"IHAVE", b"STREAMING", offered)
    assert sent == b"COMPRESS DEFLATE\r\n"
    assert handshake.answer(b"206 it is") == b"MODE STREAM\r\n"


@pytest.mark.parametrize("offered", [[], [b"COMPRESS LZMA"], [b""]], ids=str)
def test_a_peer_that_does_not_offer_it_is_not_asked_to(offered):
    handshake, sent = listing(b"IHAVE", b"STREAMING", *offered)
    assert sent == b"MODE STREAM\r\n"
    assert not handshake.compresses


def test_a_peer_that_offers_ihave_alone_is_not_asked_to_stream():
    handshake, sent = listing(b"IHAVE", b"READER")
    assert sent == b""
    assert (handshake.done, handshake.streams) == (True, False)


def test_a_peer_whose_list_names_no_way_to_feed_it_is_asked_to_stream():
    assert listing(b"READER")[1] == b"MODE STREAM\r\n"


def test_a_list_without_end_is_a_refusal():
    handshake, _ = listing(*(b"X-%d" % number for number in range(200)))
    assert handshake.refusal.cause is Cause.PROTOCOL_ERROR
    assert "has no end" in handshake.refusal.reason


# Headers alone


@pytest.mark.parametrize("answer", [b"203 streaming", b"501 no"])
def test_headers_alone_are_asked_for_last(answer):
    handshake, sent = after(Wishes(headfeed=True), b"200 welcome", answer)
    assert sent == b"MODE HEADFEED\r\n"
    assert not handshake.done
    assert handshake.answer(b"250 headers, then") == b""
    assert handshake.done


def test_a_peer_that_wants_bodies_is_not_fed_headers():
    refusal = after(Wishes(headfeed=True, streaming=False), b"200 welcome", b"500 what?")[0].refusal
    assert refusal.cause is Cause.REFUSED
    assert "takes no articles without bodies" in refusal.reason
