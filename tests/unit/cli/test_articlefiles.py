import asyncio
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from fakeclock import FakeClock
from forebay.cli.articlefiles import article_files, paced, read_article, read_articles
from forebay.cli.errors import InputError


@pytest.fixture
def folder(tmp_path):
    for number in (3, 1, 2):
        (tmp_path / f"{number}.article").write_bytes(b"%d" % number)
    (tmp_path / "README.md").write_text("no article")
    (tmp_path / "more.article").mkdir()
    return tmp_path


def test_a_folder_stands_for_its_article_files_by_name(folder):
    assert [file.name for file in article_files([folder])] == ["1.article", "2.article", "3.article"]


def test_a_file_that_is_named_may_have_any_name(folder):
    assert article_files([folder / "README.md", Path("-")]) == [folder / "README.md", Path("-")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("gone", "there is no such file or folder", id="missing"),
        pytest.param("more.article", "holds no file that ends in .article", id="empty"),
    ],
)
def test_a_path_without_articles_is_an_error(folder, name, message):
    with pytest.raises(InputError, match=message):
        article_files([folder / name])


async def test_articles_come_in_the_order_of_the_files(folder):
    files = article_files([folder]) * 50
    assert [article async for article in read_articles(files)] == [b"1", b"2", b"3"] * 50


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"From: me\r\n\r\n")))
    assert read_article(Path("-")) == b"From: me\r\n\r\n"


async def test_paced_articles_come_at_their_pace():
    clock = FakeClock()

    async def articles():
        for number in range(4):
            yield b"%d" % number

    async def taken():
        return [(article, clock.monotonic() - began) async for article in paced(articles(), 2, clock)]

    began = clock.monotonic()
    taking = asyncio.ensure_future(taken())
    await clock.run(10)
    assert await taking == [(b"0", 0), (b"1", 0.5), (b"2", 1), (b"3", 1.5)]
