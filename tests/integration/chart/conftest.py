"""Helm, which these tests need."""

import pytest

from conftest import missing
from kubeaccess import binaries, program


@pytest.fixture(scope="session", autouse=True)
def need_helm() -> None:
    if not program("helm"):
        missing(f"needs helm, of PATH or in {binaries()}")
