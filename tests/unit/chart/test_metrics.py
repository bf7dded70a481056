"""Alerts and dashboards use metrics, and labels of them, that services and the operator really show."""

import json
import re
from collections.abc import Iterator

import pytest
import yaml

from fakeconnection import Connections
from helmchart import CHART

from .metricpages import (
    Labels,
    of_a_conduitnode,
    of_a_router,
    of_a_store,
    of_an_announcer,
    of_an_outfeed,
    of_the_operator,
)

SCRAPED = {"namespace", "pod"}
"""Labels that Prometheus adds."""
NAME = re.compile(r"\b(?:forebay|process)_[a-z0-9_]+")
SELECTOR = re.compile(r"\b([a-z_]+)\{([^}]*)\}")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"")


def expressions() -> Iterator[str]:
    """All that Prometheus is asked."""
    alerts = yaml.safe_load((CHART / "files" / "alerts.yaml").read_text())
    yield from (rule["expr"] for group in alerts["groups"] for rule in group["rules"])
    for path in (CHART / "files" / "dashboards").glob("*.json"):
        dashboard = json.loads(path.read_text())
        yield from (target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ()))
        yield from (variable["query"]["query"] for variable in dashboard["templating"]["list"][1:])


def names_in(expression: str) -> set[str]:
    """Names of metrics; what stands between quotes is none."""
    return set(NAME.findall(re.sub(r'"[^"]*"', "", expression)))


@pytest.fixture
async def known(tmp_path, monkeypatch) -> Labels:
    connections = Connections()
    monkeypatch.setattr("forebay.outfeed.peering.lines.Connection", connections)
    async with of_an_outfeed(tmp_path, connections) as shown:
        pages = of_a_store(), of_a_router(), of_a_conduitnode(), await of_an_announcer(tmp_path), of_the_operator()
        return dict(item for page in (shown, *pages) for item in page.items())


async def test_all_metrics_exist(known):
    used = set().union(*map(names_in, expressions()))
    assert len(used) > 30
    assert used <= known.keys()


async def test_all_labels_exist(known):
    for expression in expressions():
        for name, selectors in SELECTOR.findall(expression):
            assert set(LABEL.findall(selectors)) <= known[name] | SCRAPED, expression
