import json

import pytest

from compactionobjects import ended, pod
from forebay_operator.compactions.report import Report, report_of

SAID = '{"job": "compact-spill", "figures": {"entriesIn": 9, "dropped": {"duplicate": 3}}}'
FIGURES = {"entriesIn": 9, "dropped": {"duplicate": 3}}


def report(message, code=0, **fields):
    return report_of(pod("it", **ended(message, code, **fields)))


def test_a_pod_that_runs_has_nothing_to_report():
    assert report_of(pod("it")) is None
    assert report_of({}) is None


def test_the_figures_are_in_the_last_line():
    assert report(SAID) == Report(FIGURES)
    assert report(f"verified 3 files\n{SAID}\n") == Report(FIGURES)


@pytest.mark.parametrize("message", ["", "all is well", '{"job": "x"}', "[1]", "{", '{"figures": [1]}', "null"])
def test_anything_else_is_no_figures(message):
    assert report(message) == Report()


def test_a_failure_in_part_has_figures_and_a_cause():
    said = SAID[:-1] + ', "failures": ["owner east: no answer", "owner west: no answer"]}'
    failures = ("owner east: no answer", "owner west: no answer")
    assert report(said, 1) == Report(FIGURES, failures, 0, "exit code 1: owner east: no answer; owner west: no answer")


def test_of_many_failures_the_cause_has_the_first_and_the_number_of_the_others():
    said = json.dumps({"figures": FIGURES, "failures": [f"p{number}" for number in range(103)], "failuresLeft": 7})
    told = report(said, 1)
    assert (told.failures, told.failures_left) == (tuple(f"p{number}" for number in range(100)), 10)
    assert told.cause == "exit code 1: p0; p1; p2; and 107 more"


def test_without_figures_the_end_of_the_log_is_the_cause():
    log = "\n".join([*(f"  at java.lang.Thread{number}" for number in range(50)), "", "Error: Redis is away"])
    assert report(log, 1).cause.endswith("java.lang.Thread49; Error: Redis is away")


def test_what_spark_says_at_its_end_is_no_cause():
    log = "Error: Redis is away\n26/11/28 03:19:50 INFO SparkContext: Successfully stopped SparkContext\n"
    assert report(log, 1).cause == "exit code 1: Error: Redis is away"


def test_a_cause_is_not_long():
    assert len(report("x" * 10_000, 1).cause) < 700


def test_without_a_word_the_exit_code_is_told():
    assert report("", 137).cause == "exit code 137"
    assert report("", 137, reason="OOMKilled").cause == "out of memory: raise spec.driver.memory"
