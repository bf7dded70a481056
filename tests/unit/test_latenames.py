import sys

import pytest

from forebay import runtime
from forebay.latenames import late_names


def test_a_name_is_imported_once_and_then_the_packages_own(monkeypatch):
    monkeypatch.delattr(runtime, "describe", raising=False)
    load = late_names("forebay.runtime", {"describe": ".status"})
    assert load("describe") is sys.modules["forebay.runtime.status"].describe
    assert runtime.describe is load("describe")


def test_a_name_that_there_is_not_is_told_with_its_package():
    with pytest.raises(AttributeError, match=r"module 'forebay\.runtime' has no attribute 'nothing'"):
        late_names("forebay.runtime", {})("nothing")
