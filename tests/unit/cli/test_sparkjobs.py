import json

import pytest

from forebay.cli import sparkjobs
from forebay.cli.errors import InputError
from forebay.cli.options import Output

JOB = """\
import sys
print("what the job prints")
failures = ', "failures": ["east: promoted"]' if sys.argv[1] == "1" else ""
print('{"job": "compact-spill", "figures": {"entriesIn": 3, "dropped": {"duplicate": 1}}' + failures + "}")
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def job(tmp_path, monkeypatch):
    """A program in the place of the jobs, which ends with its first argument."""
    (tmp_path / "somejob.py").write_text(JOB)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sparkjobs, "PROGRAM", "somejob")


def test_options_without_a_value_are_left_out():
    assert sparkjobs.options_of({"--max-age": "10d", "--max-bytes": "", "--cores": None}) == ["--max-age", "10d"]


def test_figures_are_a_table_below_what_the_job_prints(job, capsys):
    sparkjobs.run_job(["0"], Output.TABLE)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "what the job prints"
    assert [line.split() for line in lines[-2:]] == [["entriesIn", "3"], ["dropped:", "duplicate", "1"]]


def test_figures_are_json_alone(job, capsys):
    sparkjobs.run_job(["0"], Output.JSON)
    assert json.loads(capsys.readouterr().out) == {"entriesIn": 3, "dropped": {"duplicate": 1}}


def test_it_ends_as_the_job_ends(job, capsys):
    with pytest.raises(SystemExit) as ended:
        sparkjobs.run_job(["1"], Output.JSON)
    assert ended.value.code == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["entriesIn"], said["failures"]) == (3, ["east: promoted"])


async def test_the_outcome_of_a_job_is_its_figures(job):
    outcome = await sparkjobs.outcome_of(["0"])
    assert outcome == ({"entriesIn": 3, "dropped": {"duplicate": 1}}, "")


async def test_the_problem_of_a_job_that_failed_is_what_it_said_last(monkeypatch):
    monkeypatch.setattr(sparkjobs, "PROGRAM", "no_such_program")
    figures, problem = await sparkjobs.outcome_of([])
    assert (figures, problem.endswith("No module named no_such_program")) == ({}, True)


@pytest.mark.parametrize("text", ["Error: no Java\n\n", "WARN a\nFailed: no Java\n"])
def test_last_words_are_told_without_their_title(text):
    assert sparkjobs.last_words(text) == "no Java"


def test_a_job_without_figures_prints_none(monkeypatch, capsys):
    monkeypatch.setattr(sparkjobs, "PROGRAM", "no_such_program")
    with pytest.raises(SystemExit):
        sparkjobs.run_job([], Output.TABLE)
    assert capsys.readouterr().out == ""


def test_without_spark_the_remedy_is_told(monkeypatch):
    monkeypatch.setattr(sparkjobs, "find_spec", lambda name: None)
    with pytest.raises(InputError) as raised:
        sparkjobs.run_job([], Output.TABLE)
    assert "forebay[spark]" in raised.value.remedy
