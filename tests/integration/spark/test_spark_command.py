"""`forebay spark compact` as a program of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

from forebay.spill.keys import Kind
from spillcontents import UID, entries, fill, token
from spillstrategies import EPOCH

PROGRAM = "from forebay.cli.commands.spark import group; group()"


def error_of(folder: Path, **environment: str) -> str:
    """The last line on standard error of a job that fails, which tells no traceback."""
    arguments = ["feed-report", "--outcomes", folder, "--to", folder / "report.html", "--cores", "1"]
    command = [sys.executable, "-m", "forebay_spark", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    return ended.stderr.splitlines()[-1]


def test_what_spark_cannot_do_is_told_in_a_line(tmp_path) -> None:
    rows = tmp_path / "outcomes" / "day=2026-01-31" / "peer=hub" / "rows.parquet"
    rows.parent.mkdir(parents=True)
    rows.write_bytes(b"no Parquet")
    assert error_of(tmp_path).startswith("Error: ")


def test_a_java_that_does_not_start_is_told_in_a_line(tmp_path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    assert "Java gateway process exited" in error_of(tmp_path, JAVA_HOME=str(tmp_path))


def test_a_backlog_is_compacted_and_the_figures_printed(client, valkey, tmp_path) -> None:
    twice = [(b"%d-%d" % (EPOCH, number), token("a", seq=1, arrival=EPOCH)) for number in range(2)]
    fill(client, "peer", {Kind.BACKLOG: [twice]})
    (tmp_path / "url").write_text(valkey.url)
    arguments = ["compact", "--uid", UID, "--url-file", tmp_path / "url", "--cores", "1", "--output", "json"]
    ended = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    figures = json.loads(ended.stdout)
    assert (figures["owners"], figures["entriesIn"], figures["entriesOut"]) == (1, 2, 1)
    assert "1 of 1 owners" in ended.stderr
    assert len(entries(client, "peer")[Kind.BACKLOG]) == 1
