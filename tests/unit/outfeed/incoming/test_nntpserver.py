"""What is answered to each command of a feeder."""

from collections.abc import Sequence

import pytest

from forebay.outfeed.incoming.arriving import Arriving
from forebay.outfeed.incoming.intake import Judged, Verdict, Want
from forebay.outfeed.incoming.nntpinput import CommandReader
from forebay.outfeed.incoming.nntpserver import NntpServer, Turn

ARTICLE = b"Message-ID: <a@b>\r\nSubject: x\r\n\r\ntext\r\n.\r\n"


class ScriptedIntake:
    """Wants what the test says, and records what it was asked."""

    def __init__(self) -> None:
        self.want = Want.SEND
        self.asked: list[list[bytes]] = []

    def wanted(self, message_ids: Sequence[bytes]) -> list[Want]:
        self.asked.append(list(message_ids))
        return [self.want] * len(message_ids)

    async def take(self, articles: Sequence[bytes]) -> list[Judged]:
        raise NotImplementedError


@pytest.fixture
def intake():
    return ScriptedIntake()


@pytest.fixture
def arriving():
    return Arriving()


@pytest.fixture
def server(intake, arriving):
    return NntpServer(CommandReader(1000), intake, arriving)


def only(turns: list[Turn]) -> Turn:
    assert len(turns) == 1
    return turns[0]


def answer(server: NntpServer, text: bytes) -> bytes:
    turn = only(server.receive(text))
    assert turn.ready
    return b"".join(turn.answers)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (b"MODE STREAM", b"203 "),
        (b"mode stream", b"203 "),
        (b"MODE", b"501 "),
        (b"HELP", b"100 "),
        (b"DATE", b"111 20"),
        (b"LIST ACTIVE", b"500 "),
        (b"", b"500 "),
        (b"CHECK", b"438 ? "),
        (b"CHECK <no-at>", b"438 <no-at> Message-ID has a syntax error"),
        (b"CHECK <" + b"x" * 260 + b"@b>", b"438 <xxx"),
        (b"CHECK \x01\xff", b"438 ?? "),
        (b"CHECK " + b"x" * 600, b"501 line is over the limit of 512 octets"),
        (b"IHAVE", b"501 "),
        (b"IHAVE <no-at>", b"435 Message-ID has a syntax error"),
        (b"STAT", b"412 "),
        (b"STAT 12", b"412 "),
    ],
)
def test_answers(server, command, expected):
    reply = answer(server, command + b"\r\n")
    assert reply.startswith(expected)
    assert all(len(line) <= 510 for line in reply.split(b"\r\n"))


def test_capabilities_tell_of_streaming_and_ihave(server):
    lines = answer(server, b"CAPABILITIES\r\n").split(b"\r\n")
    assert lines[:2] == [b"101 Capability list:", b"VERSION 2"]
    assert {b"IHAVE", b"STREAMING"} < set(lines)
    assert lines[-2:] == [b".", b""]


@pytest.mark.parametrize(("command", "code"), [(b"QUIT", b"205"), (b"MODE READER", b"502")])
def test_ends_the_connection(server, command, code):
    turn = only(server.receive(command + b"\r\nDATE\r\n"))
    assert turn.closing
    assert [line[:3] for line in turn.answers] == [code]


@pytest.mark.parametrize(
    ("want", "check", "ihave", "stat"),
    [
        (Want.SEND, b"238 <a@b>\r\n", b"335 ", b"430 "),
        (Want.HAVE, b"438 <a@b>\r\n", b"435 ", b"223 0 <a@b>\r\n"),
        (Want.LATER, b"431 <a@b>\r\n", b"436 ", b"430 "),
        (Want.PAUSED, b"431 <a@b>\r\n", b"436 ", b"403 "),
    ],
)
def test_asks_the_intake(server, intake, want, check, ihave, stat):
    intake.want = want
    assert answer(server, b"CHECK <a@b>\r\n") == check
    assert answer(server, b"STAT <a@b>\r\n").startswith(stat)
    assert answer(server, b"IHAVE <a@b>\r\n").startswith(ihave)


def test_checks_that_came_together_are_asked_together(server, intake):
    reply = answer(server, b"CHECK <a@b>\r\nDATE\r\nCHECK <c@d>\r\n")
    assert intake.asked == [[b"<a@b>", b"<c@d>"]]
    assert [line[:3] for line in reply.splitlines()] == [b"238", b"111", b"238"]


def test_what_one_connection_was_asked_for_the_other_need_not_send(server, intake, arriving):
    other = NntpServer(CommandReader(1000), intake, arriving)
    answer(server, b"CHECK <a@b>\r\n")
    assert answer(other, b"CHECK <a@b>\r\n") == b"431 <a@b>\r\n"
    assert answer(other, b"IHAVE <a@b>\r\n").startswith(b"436")
    assert answer(server, b"CHECK <a@b>\r\n") == b"238 <a@b>\r\n"
    server.gone()
    assert answer(other, b"CHECK <a@b>\r\n") == b"238 <a@b>\r\n"


def test_answers_to_articles_wait_for_their_verdicts(server):
    turn = only(server.receive(b"DATE\r\nTAKETHIS <a@b>\r\n" + ARTICLE + b"CHECK <c@d>\r\n"))
    assert not turn.ready
    assert turn.articles == [ARTICLE]
    turn.fill([Judged(Verdict.ACCEPTED)])
    assert turn.ready
    assert turn.answers[1:] == [b"239 <a@b>\r\n", b"238 <c@d>\r\n"]


@pytest.mark.parametrize(
    ("judged", "takethis", "ihave"),
    [
        (Judged(Verdict.ACCEPTED), b"239 <a@b>\r\n", b"235 article taken\r\n"),
        (Judged(Verdict.DUPLICATE), b"439 <a@b> seen before\r\n", b"437 seen before\r\n"),
        (Judged(Verdict.NO_PEER), b"239 <a@b>\r\n", b"235 article taken\r\n"),
        (Judged(Verdict.REJECTED, "why"), b"439 <a@b> why\r\n", b"437 why\r\n"),
    ],
)
def test_tells_verdicts(server, judged, takethis, ihave):
    turn = only(server.receive(b"TAKETHIS <a@b>\r\n" + ARTICLE))
    turn.fill([judged])
    assert turn.answers == [takethis]
    server.receive(b"IHAVE <a@b>\r\n")
    turn = only(server.receive(ARTICLE))
    turn.fill([judged])
    assert turn.answers == [ihave]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"TAKETHIS\r\n" + ARTICLE, b"501 TAKETHIS needs a message-id"),
        (b"TAKETHIS <" + b"x" * 600 + b"@b>\r\n" + ARTICLE, b"501 line is over"),
        (b"TAKETHIS <no-at>\r\n" + ARTICLE, b"439 <no-at> Message-ID has a syntax error"),
        (b"TAKETHIS <c@d>\r\n" + ARTICLE, b"439 <c@d> header Message-ID is not the message-id"),
        (b"TAKETHIS <a@b>\r\n" + b"x" * 1000 + b"\r\n.\r\n", b"439 <a@b> article of 1005 octets is over the limit"),
    ],
)
def test_refuses_an_article_by_itself_and_goes_on(server, text, expected):
    turn = only(server.receive(text + b"DATE\r\n"))
    assert turn.articles == []
    assert turn.answers[0].startswith(expected)
    assert turn.answers[1].startswith(b"111")


@pytest.mark.parametrize(
    "article",
    [
        b"message-id: <a@b>\r\n\r\n.\r\n",
        b"References: <a@b>\r\nMessage-ID: <a@b>\r\n\r\n.\r\n",
        b"Message-ID:\r\n <a@b>\r\n\r\n.\r\n",
        b"Message-ID: <a@b> \r\n\r\n.\r\n",
        b"Subject: it has none, which the intake will say\r\n\r\n.\r\n",
    ],
)
def test_the_message_id_of_an_article_may_be_written_in_any_way(server, article):
    assert only(server.receive(b"TAKETHIS <a@b>\r\n" + article)).articles == [article]


def test_a_mention_of_the_message_id_is_not_the_header(server):
    article = b"References: <c@d>\r\nMessage-ID: <a@b>\r\n\r\nMessage-ID: <c@d>\r\n.\r\n"
    assert only(server.receive(b"TAKETHIS <c@d>\r\n" + article)).answers[0].startswith(b"439 <c@d> header Message-ID")


def test_a_full_intake_ends_takethis_with_400_at_the_first_unanswered(server):
    turn = only(server.receive(b"CHECK <c@d>\r\nTAKETHIS <a@b>\r\n" + ARTICLE + b"CHECK <e@f>\r\n"))
    turn.refuse("disk is full\r\nreally")
    assert turn.answers == [b"238 <c@d>\r\n", b"400 disk is full??really\r\n"]
    assert turn.closing


def test_a_full_intake_puts_ihave_off(server):
    server.receive(b"IHAVE <a@b>\r\n")
    turn = only(server.receive(ARTICLE))
    turn.refuse("disk is full")
    assert turn.answers == [b"436 disk is full\r\n"]
    assert not turn.closing


def test_what_follows_an_ihave_that_was_refused_is_a_command(server, intake):
    intake.want = Want.HAVE
    assert [turn.answers[0][:3] for turn in server.receive(b"IHAVE <a@b>\r\nDATE\r\n")] == [b"435", b"111"]
