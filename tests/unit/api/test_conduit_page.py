"""docs/conduit.md tells of every metric; what it names is there."""

import ast
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fakeclock import FakeClock
from forebay.api.v1alpha1 import ConduitNodeSpec
from forebay.cli.main import app
from forebay.conduit.node import ServiceNode
from forebay.conduit.servicemetrics import PREFIX, service_metrics
from forebay.conduit.settings import ClientSettings
from forebay.conduit.specs import node_settings, transport_settings
from forebay.runtime.tasks import Supervisor

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "conduit.md").read_text()


async def test_every_metric_is_told_of():
    spec = ConduitNodeSpec()
    transport = transport_settings(spec, "127.0.0.1", [])
    node = ServiceNode(node_settings(spec, b"1", {}), transport, ClientSettings(), FakeClock(), Supervisor())
    kept = {f"{each.name}_total" if each.type == "counter" else each.name for each in service_metrics(node)}
    assert set(re.findall(rf"`({PREFIX}_\w+)`", PAGE)) == kept


@pytest.mark.parametrize("command", sorted(set(re.findall(r"forebay (conduit [a-z]+)", PAGE))))
def test_commands_are_there(command):
    assert CliRunner().invoke(app, [*command.split(), "--help"]).exit_code == 0


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_programs_can_be_read(block):
    compile(block, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
