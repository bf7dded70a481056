"""The dashboards are what Grafana takes, from any data source."""

import json

import pytest

from helmchart import CHART

FILES = sorted((CHART / "files" / "dashboards").glob("*.json"))
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def dashboard(request):
    return json.loads(request.param.read_text())


def panels(dashboard):
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def cells(panel):
    place = panel["gridPos"]
    return {
        (x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])
    }


def test_there_is_one_for_each_kind_of_service_and_one_for_the_operator():
    assert [path.stem for path in FILES] == ["announcer", "conduit", "operator", "outfeed", "router", "store"]


def test_the_data_source_is_chosen_by_the_user(dashboard):
    assert dashboard["templating"]["list"][0]["name"] == "datasource"
    sources = [part["datasource"] for panel in panels(dashboard) for part in (panel, *panel["targets"])]
    assert all(source == SOURCE for source in sources)


def test_each_panel_says_what_it_shows(dashboard):
    assert all(panel["title"] and panel["description"] for panel in panels(dashboard))


def test_panels_have_ids_and_places_of_their_own(dashboard):
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids))
    taken = [cell for panel in dashboard["panels"] for cell in cells(panel)]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < 24


def test_it_has_an_identity_that_stays(dashboard):
    assert dashboard["uid"].startswith("forebay-")
    assert "id" not in dashboard
