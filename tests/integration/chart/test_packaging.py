"""The package holds what an installation needs, and nothing else."""

import tarfile

import pytest

from helmchart import CHART, helm


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    helm("package", CHART, "--destination", folder)
    with tarfile.open(folder / "forebay-0.1.0.tgz") as archive:
        return archive.getnames()


def test_everything_that_is_read_is_in_it(names):
    files = [path for path in (CHART / "files").rglob("*") if path.is_file() and path.suffix != ".py"]
    assert {f"forebay/{path.relative_to(CHART)}" for path in files} <= set(names)
    assert {"forebay/values.schema.json", "forebay/README.md", "forebay/templates/NOTES.txt"} <= set(names)


def test_what_makes_the_chart_is_not(names):
    assert not [name for name in names if name.endswith((".py", ".pyc"))]
