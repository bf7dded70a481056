"""docs/announcer.md tells of every parameter with its default, and of every metric; what it names is there."""

import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from fakeclock import FakeClock
from forebay.announcer.servicemetrics import PREFIX, service_metrics
from forebay.announcer.tracker import Tracker
from forebay.api.v1alpha1 import KINDS, AnnouncerSpec

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "announcer.md").read_text()
OBJECT = "object"


class Parameter(NamedTuple):
    path: str
    default: str


def rows(introduction):
    """The rows of the table that follows, as lists of cells."""
    table = PAGE.split(introduction)[1].partition("\n| ")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.split("\n") if row.startswith("| `")]


def described(kind):
    return {Parameter(row[0].strip("`"), row[1].strip("`")) for row in rows(f"\nOf {kind}:\n")}


def modelled(kind):
    """All fields of a kind that are no objects, as the page of resources tells them."""
    sys.path.insert(0, str(DOCS))
    try:
        from generate_resources import kind_rows
    finally:
        sys.path.remove(str(DOCS))
    return {
        Parameter(row.path.strip("`").removesuffix("[]"), row.default.strip("`"))
        for row in kind_rows(KINDS[kind])
        if row.unit != OBJECT and row.path.startswith("`spec.")
    }


@pytest.mark.parametrize(("heading", "kind"), [("an Announcer", "Announcer"), ("a Forwarder", "Forwarder")])
def test_every_parameter_is_there_with_its_default(heading, kind):
    assert described(heading) == modelled(kind)


@pytest.mark.parametrize("heading", ["an Announcer", "a Forwarder"])
def test_every_parameter_is_explained(heading):
    table = rows(f"\nOf {heading}:\n")
    assert table
    assert all(len(row) == 3 and row[2] for row in table)


def test_options_of_a_retracker_lead_to_fields_that_exist():
    known = {parameter.path for kind in ("Announcer", "Forwarder") for parameter in modelled(kind)}
    named = set(re.findall(r"`(spec\.[A-Za-z.]+)`", PAGE.split("## Moving a retracker over")[1]))
    assert named
    assert named <= known


async def test_every_metric_is_there(tmp_path):
    tracker = Tracker(AnnouncerSpec(), tmp_path, FakeClock())
    try:
        families = list(service_metrics(tracker))
    finally:
        await tracker.upstreams.close()
    told = set(re.findall(r"`([a-z_]+)`", " ".join(row[0] for row in rows("\n## Metrics\n"))))
    shown = {
        family.name.removeprefix(f"{PREFIX}_") + ("_total" if family.type == "counter" else "") for family in families
    }
    assert told - {"protocol", "forwarder", "status"} == shown


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https:)([^)#]+)", PAGE))))
def test_links_lead_somewhere(link):
    assert (DOCS / link).exists()


@pytest.mark.parametrize(
    "command", sorted(set(re.findall(r"^(?:\$ )?(forebay (?:announcer )?[a-z]+)", PAGE, re.MULTILINE)))
)
def test_commands_exist(command):
    reference = (DOCS / "cli.md").read_text()
    assert f"# {command}\n" in reference
