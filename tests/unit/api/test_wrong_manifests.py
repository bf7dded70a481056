"""The manifests that a cluster refuses are refused without one too."""

import pytest

from forebay.api import ManifestError, read_files
from wrongmanifests import FOLDER, WRONG


@pytest.mark.parametrize(("name", "field"), [(name, field) for name, (field, _) in WRONG.items()], ids=WRONG)
def test_wrong_manifest_is_refused_by_its_field(name, field):
    with pytest.raises(ManifestError) as caught:
        read_files([FOLDER / f"{name}.yaml"])
    assert any(f": {field}: " in problem for problem in caught.value.problems)


def test_every_wrong_manifest_is_known():
    assert {path.stem for path in FOLDER.iterdir()} == set(WRONG)
