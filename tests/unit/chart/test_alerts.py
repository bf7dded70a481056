"""Each alert tells what is wrong and what to do."""

import re

import pytest
import yaml

from forebay.outfeed.sending.ending import Cause
from helmchart import CHART

GROUPS = yaml.safe_load((CHART / "files" / "alerts.yaml").read_text())["groups"]
RULES = [rule for group in GROUPS for rule in group["rules"]]


@pytest.fixture(params=RULES, ids=lambda rule: rule["alert"])
def rule(request):
    return request.param


def test_names_are_distinct():
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


def test_it_has_a_severity(rule):
    assert rule["labels"]["severity"] in ("warning", "critical")


def test_it_says_where_what_and_what_to_do(rule):
    annotations = rule["annotations"]
    assert annotations.keys() == {"summary", "runbook"}
    assert "{{" in annotations["summary"], "names no object"
    assert len(annotations["runbook"]) > 60


def test_its_brackets_are_closed(rule):
    assert all(rule["expr"].count(left) == rule["expr"].count(right) for left, right in ("()", "{}", "[]"))
    assert not re.search(r"\{\{", rule["expr"])


def test_what_a_connection_ended_for_is_what_connections_end_for():
    named = [reason for rule in RULES for reason in re.findall(r'peer_error{reason="(\w+)"}', rule["expr"])]
    assert set(named) == {Cause.AUTH_FAILED, Cause.TLS_FAILED}
    assert len(named) == 2
