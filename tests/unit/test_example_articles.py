import re
from datetime import datetime
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime

import pytest

from articles import Article
from examples import FOLDER, example_articles

MANDATORY = ("path", "from", "newsgroups", "subject", "date", "message-id")  # RFC 5536, section 3.1


@pytest.fixture(scope="module")
def examples() -> tuple[Article, ...]:
    return example_articles()


@pytest.fixture(scope="module")
def heads(examples) -> dict[bytes, Message]:
    return {article.message_id: BytesHeaderParser().parsebytes(article.content) for article in examples}


def test_about_a_hundred_with_distinct_ids(heads):
    assert len(heads) == len(list(FOLDER.glob("*.article"))) >= 100


@pytest.mark.parametrize("name", MANDATORY)
def test_each_has_the_mandatory_field_once(heads, name):
    assert {message_id: len(head.get_all(name, [])) for message_id, head in heads.items()} == dict.fromkeys(heads, 1)


def test_lines_end_in_crlf_and_hold_no_nul(examples):
    for article in examples:
        text = article.content.replace(b"\r\n", b"")
        assert article.content.endswith(b"\r\n")
        assert not any(octet in text for octet in (b"\r", b"\n", b"\0")), article.message_id


def test_lines_fit_into_998_octets(examples):
    assert max(len(line) for article in examples for line in article.content.split(b"\r\n")) == 998


def test_message_ids_fit_into_250_octets(heads):
    assert all(re.fullmatch(rb"<[!-;=?-~]+@[!-;=?-~]+>", message_id) for message_id in heads)
    assert max(map(len, heads)) == 250


def test_each_is_in_a_group_that_the_test_peers_carry(heads):
    for head in heads.values():
        assert {group.strip() for group in head["newsgroups"].split(",")} & {"test.feed", "test.other"}


def test_dates_lie_in_the_past(heads):
    dates = [parsedate_to_datetime(head["date"]).replace(tzinfo=None) for head in heads.values()]
    assert max(dates) < datetime(2025, 1, 1)  # noqa: DTZ001


def test_a_followup_names_its_parent_last(heads):
    followups = [head for head in heads.values() if "in-reply-to" in head]
    assert [head["references"].split()[-1] for head in followups] == [head["in-reply-to"] for head in followups]
