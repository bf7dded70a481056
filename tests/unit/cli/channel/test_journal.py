"""Lines that outlive the process."""

import asyncio
import os

from forebay.cli.channel import journal as module
from forebay.cli.channel.journal import Journal


async def test_lines_are_found_at_the_next_start(tmp_path):
    async with Journal(tmp_path / "j") as journal:
        assert journal.left() == []
        journal.add(["one", "two"])
        journal.add(["thr\udcffee"])
    async with Journal(tmp_path / "j") as journal:
        assert journal.left() == ["one", "two", "thr\udcffee"]


async def test_what_is_rewritten_takes_the_place_of_all(tmp_path):
    async with Journal(tmp_path / "j") as journal:
        journal.add(["one", "two"])
        journal.rewrite(["two"])
        journal.add(["three"])
        assert journal.left() == ["two", "three"]
        journal.rewrite([])
        assert journal.left() == []


async def test_half_a_line_is_passed_over(tmp_path):
    (tmp_path / "j").write_bytes(b"one\ntw")
    async with Journal(tmp_path / "j") as journal:
        assert journal.left() == ["one"]


async def test_it_is_long_beyond_a_size(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SHRINK", 10)
    async with Journal(tmp_path / "j") as journal:
        journal.add(["123456789"])
        assert not journal.is_long
        journal.add(["1"])
        assert journal.is_long


async def test_a_second_channel_waits_for_the_first_and_sees_what_it_left(tmp_path):
    async def second():
        async with Journal(tmp_path / "j") as journal:
            return journal.left()

    async with Journal(tmp_path / "j") as journal:
        waiting = asyncio.ensure_future(second())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        journal.rewrite(["left"])
    assert await waiting == ["left"]


async def test_lines_are_whole_where_the_disk_takes_them_in_parts(tmp_path, monkeypatch):
    write = os.write
    async with Journal(tmp_path / "j") as journal:
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", lambda file, data: write(file, data[:3]))
            journal.add(["@one@", "@two@"])
        assert journal.left() == ["@one@", "@two@"]
