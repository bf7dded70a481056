import argparse
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

from forebay.msgstore.disk import RealDisk
from forebay.outfeed.log.outcomefiles import OutcomeFiles, OutcomeLogSettings
from forebay.runtime.clock import SystemClock
from forebay_spark.errors import BusyError, OptionError
from forebay_spark.jobs import compact_outcomes
from forebay_spark.outcomes import OUTCOMES, read_lines, rows_of
from forebay_spark.outcomestore import OutcomeStore
from outcomelogs import DAY, HOUR, START, outcome, sample, write

DAY_FOLDER = "day=2025-11-28"
NEXT_DAY = "day=2025-11-29"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    folder = tmp_path / "outcomes"
    folder.mkdir()
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "kept"


@pytest.fixture
def compact(spark, log: Path, kept: Path):
    return lambda: compact_outcomes.run(argparse.Namespace(outcomes=log, to=kept), spark)


def rows(kept: Path, table: str = "outcomes", place: str = f"{DAY_FOLDER}/peer=hub") -> list[dict]:
    return read_table(kept / table / place / "rows.parquet", partitioning=None).to_pylist()


def all_ids(kept: Path) -> list[str]:
    files = sorted(kept.glob("outcomes/*/*/rows.parquet"))
    return [row["message_id"] for file in files for row in read_table(file, partitioning=None).to_pylist()]


def ids(kept: Path, **place: str) -> list[str]:
    return [row["message_id"] for row in rows(kept, **place)]


def test_files_become_parquet_by_day_and_peer(compact, log, kept):
    write(log, "1.jsonl", outcome(1), outcome(2, peer="spool"))
    write(log, "2.jsonl", outcome(3, START + DAY))
    compact()
    files = sorted(str(file.relative_to(kept)) for file in kept.rglob("*.parquet"))
    assert files == [
        f"outcomes/{DAY_FOLDER}/peer=hub/rows.parquet",
        f"outcomes/{DAY_FOLDER}/peer=spool/rows.parquet",
        f"outcomes/{NEXT_DAY}/peer=hub/rows.parquet",
    ]


def test_rows_say_what_the_lines_say(compact, log, kept):
    write(log, "1.jsonl", outcome(1, START + 1, outcome="rejected", reason="439 Duplicate"))
    compact()
    (row,) = rows(kept)
    assert row.pop("time").timestamp() * 1000 == START + 1
    assert row == {
        "outcome": "rejected",
        "reason": "439 Duplicate",
        "message_id": "<1@example.org>",
        "group": "misc.test",
        "size": 1001,
    }


def test_samples_are_kept_apart(compact, log, kept):
    write(log, "1.jsonl", outcome(1), sample(START + HOUR, queued=5, deferred=2))
    compact()
    (row,) = rows(kept, "backlogs")
    assert (row["queued"], row["deferred"], row["in_flight"]) == (5, 2, 0)
    assert len(rows(kept)) == 1


def test_rows_of_a_file_are_sorted_by_time(compact, log, kept):
    write(log, "1.jsonl", *(outcome(number, START + 1000 - number) for number in range(100)))
    write(log, "2.jsonl", outcome(200, START))
    compact()
    assert ids(kept) == [f"<{number}@example.org>" for number in (200, *range(99, -1, -1))]


def test_repeats_are_dropped_and_counted(compact, log):
    write(log, "1.jsonl", outcome(1), outcome(1), outcome(2))
    write(log, "2.jsonl", outcome(2))
    figures = compact().values
    assert (figures["entriesIn"], figures["entriesOut"], figures["dropped"]) == (4, 2, {"repeat": 2, "damaged": 0})


def test_input_is_removed_and_the_open_file_is_not(compact, log):
    write(log, "1.jsonl", outcome(1))
    write(log, "2.part", outcome(2))
    compact()
    assert [file.name for file in log.iterdir()] == ["2.part"]


def test_same_files_again_double_nothing(compact, log, kept):
    content = [outcome(1), outcome(2), sample(START)]
    write(log, "1.jsonl", *content)
    compact()
    write(log, "1.jsonl", *content)
    figures = compact().values
    assert (figures["entriesIn"], figures["entriesOut"]) == (3, 0)
    assert ids(kept) == ["<1@example.org>", "<2@example.org>"]
    assert len(rows(kept, "backlogs")) == 1


def test_later_files_are_merged_into_the_day(compact, log, kept):
    write(log, "1.jsonl", outcome(1, START + 5), outcome(2, START + DAY))
    compact()
    untouched = (kept / "outcomes" / NEXT_DAY / "peer=hub" / "rows.parquet").stat().st_ino
    write(log, "2.jsonl", outcome(3, START + 4))
    compact()
    assert ids(kept) == ["<3@example.org>", "<1@example.org>"]
    assert (kept / "outcomes" / NEXT_DAY / "peer=hub" / "rows.parquet").stat().st_ino == untouched


def test_peer_of_any_name_has_its_own_folder(compact, log, kept):
    write(log, "1.jsonl", outcome(1, peer="007"), outcome(2, peer="a/b=c"), outcome(3, peer="7"))
    compact()
    assert len(list((kept / "outcomes" / DAY_FOLDER).iterdir())) == 3


def test_file_with_damaged_lines_is_kept_for_them(compact, log, kept):
    write(log, "1.jsonl", outcome(1), raw='{"time":1,"pe\n')
    write(log, "2.jsonl", outcome(2))
    figures = compact()
    assert [file.name for file in log.iterdir()] == ["1.jsonl.damaged"]
    assert ids(kept) == ["<1@example.org>", "<2@example.org>"]
    assert figures.values["dropped"] == {"repeat": 0, "damaged": 1}
    assert "1.jsonl" in figures.failures[0]


def test_nothing_to_do_is_done(compact, kept):
    figures = compact()
    assert figures.values["entriesIn"] == 0
    assert not figures.failures


def test_files_without_lines_are_removed(compact, log):
    write(log, "1.jsonl")
    assert compact().values["filesIn"] == 1
    assert not list(log.iterdir())


def test_files_of_a_real_log_are_taken(compact, log, kept, tmp_path):
    files = OutcomeFiles(RealDisk(tmp_path), OutcomeLogSettings(file_size=1, reserve=0), SystemClock())
    for number in range(3):
        line = write(tmp_path / "lines", "line", outcome(number)).read_bytes()
        files.write(line)
    assert compact().values["filesIn"] == 2
    files.close()
    assert compact().values["filesIn"] == 1
    assert len(ids(kept)) == 3


def test_files_that_their_service_deletes_meanwhile_are_passed_over(spark, log):
    write(log, "1.jsonl", outcome(1))
    doomed = write(log, "2.jsonl", outcome(2))
    lines = read_lines(spark, log)
    assert len(lines.inputFiles()) == 2
    doomed.unlink()
    assert [row["line"]["message_id"] for row in lines.collect()] == ["<1@example.org>"]


def test_run_killed_before_it_removed_its_input_is_made_good(spark, compact, log, kept):
    write(log, "1.jsonl", outcome(1), outcome(2, START + DAY), outcome(3, START + 2 * DAY))
    store = OutcomeStore(kept)
    with store.locked():
        merge = store.merge(spark, OUTCOMES, rows_of(OUTCOMES, read_lines(spark, log)))
        first = dict(list(merge.files.items())[:1])
        store.put(replace(merge, files=first))
    assert len(list(kept.rglob("rows.parquet"))) == 1
    compact()
    assert all_ids(kept) == ["<1@example.org>", "<2@example.org>", "<3@example.org>"]
    assert not list(log.iterdir())


def test_what_a_killed_run_has_staged_is_swept(compact, kept):
    left = kept / "_staging" / "fresh"
    left.mkdir(parents=True)
    compact()
    assert not left.exists()


@pytest.mark.timeout(600)
def test_process_killed_while_files_are_put_in_place_loses_and_doubles_nothing(compact, log, kept):
    write(log, "1.jsonl", *(outcome(number, START + number % 40 * DAY) for number in range(400)))
    arguments = ["compact-outcomes", "--outcomes", str(log), "--to", str(kept), "--cores", "1"]
    process = subprocess.Popen([sys.executable, "-m", "forebay_spark", *arguments], stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 400
        while not (kept / "outcomes").exists():
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < deadline, "it has put nothing in place"
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    compact()
    assert sorted(all_ids(kept)) == sorted(f"<{number}@example.org>" for number in range(400))
    assert not list(log.iterdir())


def test_second_run_at_once_is_refused(compact, kept):
    with OutcomeStore(kept).locked(), pytest.raises(BusyError, match="another run"):
        compact()


def test_log_must_be_a_folder(compact, log):
    log.rmdir()
    with pytest.raises(OptionError, match="--outcomes"):
        compact()
