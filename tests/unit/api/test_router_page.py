"""docs/router.md tells of every metric and notice; what it names is there."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fakeclock import FakeClock
from forebay.cli.main import app
from forebay.router.core import skal
from forebay.router.links.settings import LinksSettings
from forebay.router.node import RouterNode
from forebay.router.servicemetrics import PREFIX, service_metrics
from forebay.router.settings import RouterSettings
from forebay.runtime.tasks import Supervisor

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "router.md").read_text()


async def test_every_metric_is_told_of():
    node = RouterNode(RouterSettings(), LinksSettings(), FakeClock(), Supervisor())
    kept = {f"{each.name}_total" if each.type == "counter" else each.name for each in service_metrics(node)}
    assert set(re.findall(rf"`({PREFIX}_\w+)`", PAGE)) == kept


@pytest.mark.parametrize("notice", [*skal.DROP_NAMES.values(), skal.DROP_FULL])
def test_every_notice_is_told_of(notice):
    assert f"`{notice}`" in PAGE


@pytest.mark.parametrize("alarm", sorted(value for name, value in vars(skal).items() if name.startswith("ALARM_")))
def test_every_alarm_is_told_of(alarm):
    assert f"`{alarm}`" in PAGE


@pytest.mark.parametrize("command", sorted(set(re.findall(r"forebay (router [a-z]+)", PAGE))))
def test_commands_are_there(command):
    assert CliRunner().invoke(app, [*command.split(), "--help"]).exit_code == 0


def test_what_the_tutorial_shows_of_the_chat_is_in_it():
    chat = (ROOT / "examples" / "router" / "chat.py").read_text()
    shown = PAGE.split("## Tutorial")[1].split("A group belongs")[0]
    for block in re.findall(r"```python\n(.*?)```", shown, re.DOTALL):
        assert all(line.strip() in chat for line in block.splitlines()), block
