"""The name under which a service holds leases."""

import re

import pytest

from forebay.runtime.leaseholder import NAME, OCTETS, holder


def test_a_name_is_made_and_stays(tmp_path):
    name = holder(tmp_path)
    assert re.fullmatch(rf"[0-9a-f]{{{2 * OCTETS}}}", name)
    assert holder(tmp_path) == name
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_each_folder_has_its_own(tmp_path):
    (tmp_path / "a").mkdir()
    assert holder(tmp_path / "a") != holder(tmp_path)


@pytest.mark.parametrize("left", [NAME, f"{NAME}.new"])
def test_what_a_power_loss_took_is_made_anew(tmp_path, left):
    (tmp_path / left).write_text("")
    name = holder(tmp_path)
    assert name
    assert holder(tmp_path) == name


def test_a_name_that_was_given_is_kept(tmp_path):
    (tmp_path / NAME).write_text("pod-7")
    assert holder(tmp_path) == "pod-7"
