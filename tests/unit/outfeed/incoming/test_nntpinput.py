"""Commands and articles are cut out of the stream, however its octets were split."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.incoming.nntpinput import Command, CommandReader

LIMIT = 100
ARTICLE = b"Subject: x\r\n\r\n..text\r\n.\r\n"


def read(*chunks: bytes, limit: int = LIMIT) -> list[Command]:
    reader = CommandReader(limit)
    return [command for chunk in chunks for command in read_on(reader, chunk)]


def read_on(reader: CommandReader, chunk: bytes) -> list[Command]:
    commands = []
    while read := reader.feed(chunk):
        commands += read
        chunk = b""
    return commands


@pytest.mark.parametrize(
    ("line", "verb", "argument"),
    [
        (b"QUIT", b"QUIT", b""),
        (b"check <a@b>", b"CHECK", b"<a@b>"),
        (b"  MODE   stream  ", b"MODE", b"stream"),
        (b"MODE\tSTREAM", b"MODE", b"STREAM"),
        (b"", b"", b""),
    ],
)
def test_a_line_is_a_verb_and_its_argument(line, verb, argument):
    assert read(line + b"\r\n") == [Command(verb, argument)]


def test_only_crlf_ends_a_line():
    assert read(b"AB\rCD\nX\r\n", b"HELP\n") == [Command(b"AB", b"CD\nX")]


def test_commands_that_came_together_are_read_together():
    assert CommandReader(LIMIT).feed(b"CHECK <a@b>\r\nCHECK <c@d>\r\nDA") == [
        Command(b"CHECK", b"<a@b>"),
        Command(b"CHECK", b"<c@d>"),
    ]


def test_an_article_follows_takethis():
    assert read(b"takethis <a@b>\r\n" + ARTICLE + b"DATE\r\n") == [
        Command(b"TAKETHIS", b"<a@b>", ARTICLE),
        Command(b"DATE", b""),
    ]


def test_an_article_may_be_nothing_but_its_terminator():
    assert read(b"TAKETHIS <a@b>\r\n.\r\nDATE\r\n") == [Command(b"TAKETHIS", b"<a@b>", b".\r\n"), Command(b"DATE", b"")]


def test_reading_stops_behind_ihave():
    reader = CommandReader(LIMIT)
    assert reader.feed(b"IHAVE <a@b>\r\nDATE\r\n") == [Command(b"IHAVE", b"<a@b>")]
    assert reader.feed(b"") == [Command(b"DATE", b"")]


def test_an_article_follows_ihave_when_it_is_expected():
    reader = CommandReader(LIMIT)
    (ihave,) = reader.feed(b"IHAVE <a@b>\r\n")
    reader.expect_article(ihave)
    assert reader.within_article
    assert reader.feed(ARTICLE[:5]) == []
    assert reader.feed(ARTICLE[5:] + b"DATE\r\n") == [Command(b"IHAVE", b"<a@b>", ARTICLE), Command(b"DATE", b"")]
    assert not reader.within_article


def test_an_article_may_have_as_many_octets_as_the_limit():
    article = b"x" * (LIMIT - 5) + b"\r\n.\r\n"
    assert read(b"TAKETHIS <a@b>\r\n", article) == [Command(b"TAKETHIS", b"<a@b>", article)]


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_a_longer_article_is_swallowed_and_told(step):
    text = b"TAKETHIS <a@b>\r\n" + b"x" * (LIMIT - 4) + b"\r\n.\r\nDATE\r\n"
    swallowed, date = read(*(text[at : at + step] for at in range(0, len(text), step)))
    assert swallowed == Command(b"TAKETHIS", b"<a@b>", b"", "article of 101 octets is over the limit of 100")
    assert date.verb == b"DATE"


def test_of_a_longer_article_nothing_is_kept():
    reader = CommandReader(LIMIT)
    reader.feed(b"TAKETHIS <a@b>\r\n")
    for _ in range(100):
        reader.feed(b"x" * 1000)
    assert reader._pieces == []


def test_a_line_over_the_limit_is_told_without_its_argument():
    long = b"CHECK <" + b"x" * 1000 + b"@b>\r\nDATE\r\n"
    over, date = read(long[:300], long[300:700], long[700:])
    assert over == Command(b"CHECK", b"", None, "line is over the limit of 512 octets")
    assert date.verb == b"DATE"


def test_of_a_line_over_the_limit_little_is_kept():
    reader = CommandReader(LIMIT)
    for _ in range(100):
        reader.feed(b"x" * 1000)
    assert len(reader._rest) < 1000


def test_the_article_behind_a_takethis_over_the_limit_is_still_an_article():
    over, date = read(b"TAKETHIS <" + b"x" * 600 + b"@b>\r\n" + ARTICLE + b"DATE\r\n")
    assert (over.verb, over.argument, over.body, bool(over.fault)) == (b"TAKETHIS", b"", b"", True)
    assert date.verb == b"DATE"


def test_a_large_article_in_small_pieces_takes_time_in_proportion():
    article = b"x" * 40_000_000 + b"\r\n.\r\n"
    started = time.perf_counter()
    (command,) = read(
        b"TAKETHIS <a@b>\r\n", *(article[at : at + 4096] for at in range(0, len(article), 4096)), limit=64 << 20
    )
    assert command.body == article
    assert time.perf_counter() - started < 5


PIECES = st.sampled_from(
    [
        b"TAKETHIS <a@b>\r\n",
        b"IHAVE <a@b>\r\n",
        b"CHECK <a@b>\r\n",
        ARTICLE,
        b".\r\n",
        b"\r\n.\r\n",
        b"\r\n",
        b"\r",
        b"\n",
        b".",
        b"x" * 60,
        b"y" * 520,
        b"TAKETHIS <" + b"z" * 520 + b"\r\n",
        b" ",
        b"\0",
    ]
)


@given(st.lists(PIECES, max_size=20).map(b"".join), st.data())
def test_the_same_octets_yield_the_same_commands_however_they_are_split(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    chunks = [text[low:high] for low, high in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(*chunks) == read(text) == read(*(text[at : at + 1] for at in range(len(text))))
