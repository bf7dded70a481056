"""`forebay up` from start to delivery."""

import re
import signal
from pathlib import Path

import pytest

from eventually import eventually

from .command import ARTICLES, forebay, quickstart, started

COUNT = len(list(ARTICLES.glob("*.article")))


@pytest.fixture
def files(tmp_path):
    quickstart(tmp_path / "files")
    return tmp_path / "files"


def up(files, *options, offer=ARTICLES):
    return ("up", "-f", files, "--data", files.parent / "data", "--offer", offer, "--until-delivered", *options)


def is_waiting_for_west(running):
    return any(re.match(r"west .* queued [1-9]", line) for line in running.out)


async def test_every_article_reaches_every_peer_also_the_late_one(files):
    result = await forebay(*up(files, "--start-later", "west=2"))
    assert result.status == 0, result.err
    assert f"articles {COUNT} of {COUNT}: accepted {COUNT}" in result.out
    waiting = max(int(count) for count in re.findall(r"^west .* backlog (\d+) ", result.out, re.MULTILINE))
    assert waiting > 50
    assert "All accounts add up" in result.out
    again = await forebay(*up(files, "-o", "json"))
    assert again.status == 0, again.err
    assert again.json()["articles"]["duplicate"] == COUNT


async def test_a_backlog_is_compacted_before_its_peer_comes(files):
    options = ("--pace", "30", "--start-later", "west=0", "--compact", "-o", "json")
    result = await forebay(*up(files, *options), within=180, HOME=str(files.parent))
    assert result.status == 0, result.err
    done = result.json()["compaction"]
    assert done["problem"] == ""
    assert done["figures"]["entriesIn"] == done["figures"]["entriesOut"] > 50
    assert done["figures"]["streamsIn"] > done["figures"]["streamsOut"] == 1
    west = result.json()["peers"][1]
    assert west["offered"] == west["accepted"] > 50


async def test_a_compaction_that_fails_is_told_and_keeps_nothing_from_its_peer(files):
    result = await forebay(*up(files, "--start-later", "west=0", "--compact"), JAVA_HOME="/nonexistent")
    assert result.status == 0, result.err
    assert "All accounts add up" in result.out
    assert re.search(r"^Not compacted: \S", result.out, re.MULTILINE)


async def test_a_peer_that_does_not_come_is_told_at_the_deadline(files):
    result = await forebay(*up(files, "--start-later", "west=1000", "--deadline", "4", "-o", "json"))
    assert result.status == 1
    assert "not every article reached every peer that wants it: 4 s were over" in result.err
    east, west = result.json()["peers"]
    assert east["offered"] == east["accepted"] == COUNT
    assert west["offered"] == west["queued"] > 50
    (problem,) = result.json()["problems"]
    assert problem.startswith(f"west: {west['queued']} of {west['offered']} articles did not reach it")
    assert "Traceback" not in result.err


async def test_a_rejected_article_is_told_by_its_file(files):
    folder = files.parent / "articles"
    folder.mkdir()
    (folder / "1.article").write_bytes(next(ARTICLES.glob("001*")).read_bytes())
    (folder / "2.article").write_bytes(b"Subject: nothing else\r\n\r\nbody\r\n")
    result = await forebay(*up(files, offer=folder))
    assert result.status == 1
    assert re.search(r"Missing:\n  \S+/2\.article was rejected: \S", result.out)


async def test_a_signal_before_all_is_delivered_is_told(files):
    async with started(*up(files, "--start-later", "west=1000")) as running:
        await eventually(lambda: is_waiting_for_west(running))
        assert await running.ended() == 1
    assert any("did not reach it" in line for line in running.out)


async def test_a_killed_process_leaves_nothing_that_stops_the_next(files):
    lock = files.parent / "data" / "valkey" / "default.main" / "lock"
    async with started(*up(files, "--start-later", "west=1000")) as running:
        await eventually(lambda: is_waiting_for_west(running))
        left_behind = int(lock.read_text().split()[0])
        assert await running.ended(signal.SIGKILL) == -signal.SIGKILL
    assert state_of(left_behind) not in ("", "Z")
    result = await forebay(*up(files))
    assert result.status == 0, result.err
    # Whoever adopted it may not have asked yet how it ended.
    assert state_of(left_behind) in ("", "Z")


def state_of(process):
    """One letter, as Linux has it; nothing for a process that is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""
