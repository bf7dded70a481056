import argparse
import json
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from forebay_spark import __main__ as program
from forebay_spark.errors import JobError, OptionError
from forebay_spark.figures import Figures


@pytest.fixture
def job(monkeypatch) -> SimpleNamespace:
    """A job that needs no Spark; what it does can be set."""
    stub = SimpleNamespace(__doc__="Do a thing.", arguments=lambda parser: None, outcome=Figures({"entriesIn": 2}))

    def run(options: argparse.Namespace, spark: object) -> Figures:
        if isinstance(stub.outcome, Exception):
            raise stub.outcome
        return stub.outcome

    stub.run = run

    @contextmanager
    def session(name: str, cores: int | None):
        yield None

    monkeypatch.setattr(program, "spark_session", session)
    monkeypatch.setattr(program, "JOBS", {"thing": "thing"})
    monkeypatch.setitem(sys.modules, "forebay_spark.jobs.thing", stub)
    return stub


def test_the_last_line_has_the_figures_and_the_seconds(job, capsys) -> None:
    assert program.main(["thing"]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["job"] == "thing"
    assert said["figures"]["entriesIn"] == 2
    assert {"seconds", "startSeconds"} < said["figures"].keys()


def test_what_was_not_done_is_told_and_fails_the_run(job, capsys) -> None:
    job.outcome = Figures({}, ("peer: promoted",))
    assert program.main(["thing"]) == 1
    assert "Failed: peer: promoted" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status"),
    [(JobError("away"), 1), (OptionError("url"), 2), (OSError("disk"), 1)],
    ids=["job", "option", "system"],
)
def test_errors_are_told_without_a_traceback(job, capsys, error: Exception, status: int) -> None:
    job.outcome = error
    assert program.main(["thing"]) == status
    assert capsys.readouterr().err == f"Error: {error}\n"


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["thing", "--nonsense"]], ids=["none", "job", "option"])
def test_wrong_arguments_are_told(job, capsys, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        program.main(arguments)
    assert ended.value.code == program.MISUSED
    assert "error: " in capsys.readouterr().err


def test_help_has_a_line_for_each_job(job, capsys) -> None:
    with pytest.raises(SystemExit):
        program.main(["--help"])
    assert "Do a thing." in capsys.readouterr().out
