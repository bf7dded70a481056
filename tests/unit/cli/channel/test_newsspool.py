"""Articles of an INN's spool, by tokens and by paths."""

import pytest

from articles import Article
from forebay.cli.channel.lines import Stored
from forebay.cli.channel.newsspool import NewsSpool, content_of
from forebay.cli.errors import ConfigurationError

ARTICLE = Article(b"<1@x>", b"Subject: dots\r\n\r\n.a\r\n..b\r\nlast\r\n")
SM = """\
#!/bin/sh
[ "$1 $2" = "-R -q" ] || exit 2
shift 2
echo "$@" >>{calls}
for token; do cat {folder}/$token 2>/dev/null; done
"""


def token(number):
    return f"@{number:036X}@"


@pytest.fixture
def spool(tmp_path):
    """A spool with a program that gives what is in files named like tokens."""
    sm = tmp_path / "sm"
    sm.write_text(SM.format(folder=tmp_path, calls=tmp_path / "calls"))
    sm.chmod(0o755)
    return NewsSpool(sm, tmp_path)


def stored(*places):
    return [Stored(place, place) for place in places]


@pytest.mark.parametrize(
    ("data", "content"),
    [
        pytest.param(ARTICLE.wire, ARTICLE.content, id="wire form"),
        pytest.param(ARTICLE.content, ARTICLE.content, id="CRLF without an end"),
        pytest.param(ARTICLE.content.replace(b"\r\n", b"\n"), ARTICLE.content, id="line ends of Unix"),
        pytest.param(b"..a: b\r\n\r\nc\r\n.\r\n", b".a: b\r\n\r\nc\r\n", id="a dot at the head"),
        pytest.param(b"", b"", id="nothing"),
    ],
)
def test_articles_are_as_rfc_5536_has_them(data, content):
    assert content_of(data) == content


async def test_tokens_are_read_in_one_go(spool, tmp_path):
    (tmp_path / token(1)).write_bytes(ARTICLE.wire)
    (tmp_path / token(2)).write_bytes(b"Subject: two\r\n\r\n.\r\n")
    assert await spool.read(stored(token(1), token(2))) == [ARTICLE.content, b"Subject: two\r\n\r\n"]
    assert (tmp_path / "calls").read_text().splitlines() == [f"{token(1)} {token(2)}"]


async def test_an_article_that_is_gone_is_none_and_the_others_keep_their_places(spool, tmp_path):
    (tmp_path / token(1)).write_bytes(ARTICLE.wire)
    (tmp_path / token(3)).write_bytes(b"Subject: three\r\n\r\n.\r\n")
    (tmp_path / "one").mkdir()
    (tmp_path / "one/file").write_bytes(ARTICLE.wire)
    found = await spool.read(stored(token(1), "one/file", token(2), "one/gone", token(3)))
    assert found == [ARTICLE.content, ARTICLE.content, None, None, b"Subject: three\r\n\r\n"]


async def test_a_missing_program_is_told(tmp_path):
    with pytest.raises(ConfigurationError, match="No such file") as caught:
        await NewsSpool(tmp_path / "sm").read(stored(token(1)))
    assert "--sm" in caught.value.remedy


def saying(folder, problem):
    """A program that finds nothing, and says why."""
    sm = folder / "sm"
    sm.write_text(f"#!/bin/sh\necho 'sm: {problem}' >&2\nexit 1\n")
    sm.chmod(0o755)
    return sm


@pytest.mark.parametrize("problem", ["cannot initialize storage manager: x", "open of /etc/news/inn.conf failed: x"])
async def test_a_spool_that_cannot_be_read_does_not_pass_for_one_whose_articles_are_gone(tmp_path, problem):
    with pytest.raises(ConfigurationError, match=problem) as caught:
        await NewsSpool(saying(tmp_path, problem)).read(stored(token(1)))
    assert "INNCONF" in caught.value.remedy


async def test_an_article_that_the_spool_has_problems_with_is_none(tmp_path):
    sm = saying(tmp_path, "tradspool: could not read it")
    assert await NewsSpool(sm).read(stored(token(1))) == [None]
