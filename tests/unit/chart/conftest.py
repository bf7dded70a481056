"""What the generator of the chart's README.md knows of the values."""

import json
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from helmchart import CHART

DOCS = CHART.parents[1] / "docs"


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script."""
    monkeypatch.syspath_prepend(DOCS)
    return import_module("generate_chart")


@pytest.fixture(scope="package")
def schema() -> dict[str, Any]:
    """The schema of the values."""
    content = json.loads((CHART / "values.schema.json").read_text())
    assert isinstance(content, dict)
    return content
