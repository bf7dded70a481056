import itertools

import pytest

import articles
import corpus
from articles import Article


@pytest.fixture(scope="module")
def thousand():
    return list(corpus.articles(1000))


def test_gives_as_many_as_asked_with_distinct_ids(thousand):
    assert len({article.message_id for article in thousand}) == 1000


def test_is_the_same_at_every_call(thousand):
    assert list(corpus.articles(50)) == thousand[:50]


def test_lines_end_in_crlf_and_hold_no_other_control(thousand):
    for article in thousand:
        text = article.content.replace(b"\r\n", b"")
        assert article.content.endswith(b"\r\n")
        assert not any(octet in text for octet in (b"\r", b"\n", b"\0"))


def test_lines_fit_into_the_limit_of_mail(thousand):
    assert max(len(line) for article in thousand for line in article.content.split(b"\r\n")) <= 998


def test_message_id_header_is_the_message_id(thousand):
    assert all(b"\r\nMessage-ID: " + article.message_id + b"\r\n" in article.content for article in thousand)


def test_a_machine_without_changelogs_gives_synthetic_articles(monkeypatch, tmp_path):
    monkeypatch.setattr(corpus, "DOC_FOLDER", tmp_path)
    corpus.changelogs.cache_clear()
    assert len({article.message_id for article in corpus.articles(5)}) == 5
    corpus.changelogs.cache_clear()


def test_revisions_differ_in_id_alone():
    first = next(corpus.entries(0))
    again = next(corpus.entries(1))
    assert again.message_id != first.message_id
    assert again.content.replace(again.message_id, first.message_id) == first.content


@pytest.mark.parametrize("size", [400, 2048, 2049, 750_000])
def test_synthetic_articles_have_the_size_asked_for(size):
    made = list(corpus.synthetic(3, size, start=9))
    assert [len(article.content) for article in made] == [size] * 3
    assert len({article.message_id for article in made}) == 3


@pytest.mark.parametrize(
    ("content", "wire"),
    [
        pytest.param(b"a\r\n", b"a\r\n.\r\n", id="no dots"),
        pytest.param(b".a\r\n..\r\nb.\r\n", b"..a\r\n...\r\nb.\r\n.\r\n", id="leading dots"),
        pytest.param(b".\r\n.\r\n", b"..\r\n..\r\n.\r\n", id="lines of one dot"),
    ],
)
def test_wire_form_doubles_leading_dots(content, wire):
    assert Article(b"<a@b>", content).wire == wire
    assert articles.unstuff(wire) == content


def test_without_path_drops_path_and_xref_with_their_continuation_lines():
    content = b"Path: a!b\r\n !c\r\nFrom: x\r\nXref: h g:1\r\nSubject: s\r\n\r\nPath: stays\r\n"
    assert articles.without_path(content) == b"From: x\r\nSubject: s\r\n\r\nPath: stays\r\n"


def test_articles_come_without_reading_everything_first():
    assert len(list(itertools.islice(corpus.entries(), 3))) == 3
