import io
import json
import logging

import pytest
import structlog
from structlog.contextvars import bound_contextvars

from forebay.runtime import Secret, configure_logs


@pytest.fixture
def stream():
    """Where the test's logs go; afterwards logging is as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture
def logged(stream):
    """Logs of the test; call it for the entries so far."""
    configure_logs("info", "json", stream)
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_entry_is_one_json_object_with_time_level_and_logger(logged):
    structlog.stdlib.get_logger("forebay.x").info("ready", port=1)
    [entry] = logged()
    assert entry.pop("time").endswith("Z")
    assert entry == {"event": "ready", "level": "info", "logger": "forebay.x", "port": 1}


def test_a_librarys_entry_comes_out_the_same_way(logged):
    logging.getLogger("redis").warning("lost %s", "connection", extra={"attempt": 2})
    [entry] = logged()
    assert (entry["event"], entry["level"], entry["logger"]) == ("lost connection", "warning", "redis")
    assert entry["attempt"] == 2


def test_bound_values_are_in_every_entry(logged):
    with bound_contextvars(request_id="abc"):
        structlog.stdlib.get_logger("a").info("ours")
        logging.getLogger("b").info("theirs")
    assert [entry["request_id"] for entry in logged()] == ["abc", "abc"]


def test_entries_below_the_level_are_left_out(logged):
    structlog.stdlib.get_logger("a").debug("detail")
    logging.getLogger("b").debug("detail")
    assert logged() == []


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"value": Secret("hunter2")}, id="secret"),
        pytest.param({"password": "hunter2"}, id="by-name"),
        pytest.param({"Authorization": "Bearer hunter2"}, id="by-name-whatever-case"),
        pytest.param({"url": "redis://user:hunter2@host:6379/0"}, id="url"),
        pytest.param({"text": "cannot reach rediss://:hunter2@host now"}, id="url-inside-text"),
        pytest.param({"spec": {"auth": {"password": "hunter2"}}}, id="nested"),
        pytest.param({"all": [Secret("hunter2"), ("redis://:hunter2@h",)]}, id="in-lists"),
    ],
)
def test_no_secret_is_shown(logged, values):
    structlog.stdlib.get_logger("a").info("configured", **values)
    text = json.dumps(logged())
    assert "hunter2" not in text
    assert "***" in text


def test_no_secret_is_shown_in_a_traceback(logged):
    try:
        raise ConnectionError("redis://user:hunter2@host refused")
    except ConnectionError:
        structlog.stdlib.get_logger("a").exception("spill away")
    [entry] = logged()
    assert "redis://***@host refused" in entry["exception"]
    assert "hunter2" not in json.dumps(entry)


def test_what_is_no_json_is_shown_as_text(logged):
    structlog.stdlib.get_logger("a").info("x", where=object)
    assert logged()[0]["where"] == "<class 'object'>"


def test_console_lines_are_no_json(stream):
    configure_logs("info", "console", stream)
    structlog.stdlib.get_logger("a").info("hello", password="hunter2")
    assert "hello" in stream.getvalue()
    assert "hunter2" not in stream.getvalue()
    assert not stream.getvalue().startswith("{")
