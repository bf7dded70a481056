import pytest

from forebay.api import ManifestError
from forebay.cli.errors import InputError, UndoneError
from forebay.cli.failures import failure_of, report
from forebay.runtime import (
    FieldViolation,
    InvalidArgumentError,
    ResourceExhaustedError,
    SettingsError,
    UnavailableError,
)


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        pytest.param(InputError("no such folder", "Name another."), 2, ["no such folder"], id="input"),
        pytest.param(UndoneError("3 were rejected"), 1, ["3 were rejected"], id="undone"),
        pytest.param(ManifestError(["a.yaml:3: wrong"]), 1, ["a.yaml:3: wrong"], id="manifest"),
        pytest.param(ManifestError(["a.yaml:3: one", "a.yaml:9: two"]), 1, ["one", "two"], id="manifests"),
        pytest.param(UnavailableError("connection refused"), 3, ["connection refused"], id="away"),
        pytest.param(
            InvalidArgumentError("bad", violations=[FieldViolation("interval", "too short")]),
            1,
            ["bad", "interval: too short"],
            id="fields",
        ),
        pytest.param(SettingsError("the data folder is in use"), 1, ["the data folder is in use"], id="settings"),
        pytest.param(FileNotFoundError(2, "No such file", "x.article"), 1, ["x.article: No such file"], id="file"),
        pytest.param(OSError("no more"), 1, ["no more"], id="system"),
    ],
)
def test_an_error_is_told_with_its_status(error, status, words):
    failure = failure_of(error)
    assert failure.status == status
    assert all(word in failure.message for word in words)


def test_a_delay_that_the_service_asks_for_is_told():
    assert failure_of(ResourceExhaustedError("full", retry_after=5)).remedy == "Try again in 5 s."


def test_an_unexpected_error_is_no_traceback(capsys, monkeypatch):
    monkeypatch.delenv("FOREBAY_TRACEBACK", raising=False)
    assert report(KeyError("x")) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("Error: unexpected KeyError: 'x'")
    assert "FOREBAY_TRACEBACK=1" in printed


def test_a_traceback_can_be_had(monkeypatch):
    monkeypatch.setenv("FOREBAY_TRACEBACK", "1")
    with pytest.raises(KeyError):
        report(KeyError("x"))
