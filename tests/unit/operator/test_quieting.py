import json
import logging
from io import StringIO

import pytest

from forebay.runtime import configure_logs
from forebay_operator.quieting import Persistent, quieten_kopf


def record(message):
    return logging.LogRecord("kopf", logging.ERROR, "", 0, message, None, None)


@pytest.mark.parametrize(("attempt", "told"), [(1, False), (2, False), (3, True), (4, False), (12, True), (24, True)])
def test_a_request_that_is_tried_again_is_told_of_when_that_lasts(attempt, told):
    line = record(f"Request attempt #{attempt} failed; will retry: GET https://k/pods -> TimeoutError()")
    assert Persistent().filter(line) is told
    assert line.levelname == "WARNING"


@pytest.mark.parametrize("message", ["Request attempt #9 failed; escalating: GET https://k -> x", "anything"])
def test_all_else_passes_as_it_is(message):
    line = record(message)
    assert Persistent().filter(line)
    assert line.levelname == "ERROR"


@pytest.fixture
def lines():
    """What the program writes, line by line."""
    root, stream = logging.getLogger(), StringIO()
    before = root.handlers[:], root.level
    configure_logs("info", "json", stream)
    quieten_kopf()
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:] = before[0]
    root.setLevel(before[1])


def test_kopf_says_nothing_of_signals(lines):
    logging.getLogger("kopf._core.reactor.running").warning("OS signals are ignored: not in the main thread.")
    assert lines() == []


def test_a_lasting_failure_is_a_warning_whoever_sends_the_request(lines):
    for attempt in range(1, 5):
        message = f"Request attempt #{attempt} failed; will retry: GET https://k/pods -> TimeoutError()"
        logging.getLogger("kopf._cogs.clients.watching").error(message)
    assert [line["level"] for line in lines()] == ["warning"]
