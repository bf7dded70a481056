"""docs/kubernetes.md tells of every reason that a condition can have, and of every value that it names."""

import re
from pathlib import Path

import pytest
import yaml

from forebay.announcer.forwarding.failurepolicy import DISABLING
from forebay.announcer.forwarding.outcome import Cause
from forebay.store.servicemetrics import KINDS
from forebay_operator.conditions.wording import word
from helmchart import CHART

CHECKOUT = CHART.parents[1]
PAGE = (CHECKOUT / "docs" / "kubernetes.md").read_text()
GIVEN = re.compile(
    r'(?:Verdict\(\w+,|Fault\(|Degradation\(|(?:Reconcile|Missing)Error\(|super\(\).__init__\()\s*"([A-Z][A-Za-z]+)"'
)
KUBERNETES_OWN = {"Unschedulable"}
ALARMS = {f"{kind.capitalize()}Alarm" for kind in KINDS}

CAUSES = {word(cause) for cause in (*DISABLING, Cause.TOO_MANY_FAILURES, Cause.TOO_MANY_REQUESTS)}
"""Why a forwarder is disabled or suspended."""


def reasons_in_code() -> set[str]:
    folders = (CHECKOUT / "operator" / "forebay_operator", CHECKOUT / "services" / "forebay")
    sources = (path.read_text() for folder in folders for path in folder.rglob("*.py"))
    return {reason for source in sources for reason in GIVEN.findall(source)}


def test_each_reason_is_explained():
    table = PAGE.split("| reason |")[1].split("\n\n")[0]
    told = re.findall(r"^\| ([A-Z][A-Za-z]+) \|", table, re.MULTILINE)
    assert told == sorted(told, key=str.lower)
    assert set(told) == reasons_in_code() | KUBERNETES_OWN | ALARMS | CAUSES


@pytest.mark.parametrize("path", re.findall(r"--set '?([A-Za-z.]+)=", PAGE))
def test_values_that_it_sets_exist(path):
    value = yaml.safe_load((CHART / "values.yaml").read_text())
    *sections, last = path.split(".")
    for section in sections:
        value = value[section]
    assert last in value or path.startswith("monitoring.labels.")


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+)\)", PAGE))))
def test_links_lead_somewhere(link):
    assert (CHECKOUT / "docs" / Path(link)).exists()
