import pickle

import pytest

from forebay.runtime import Secret

SECRET = Secret("hunter2")


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(str(SECRET), id="str"),
        pytest.param(repr(SECRET), id="repr"),
        pytest.param(f"{SECRET}", id="format"),
        pytest.param(f"{SECRET!r}", id="format-repr"),
        pytest.param("%s" % SECRET, id="percent"),  # noqa: UP031
        pytest.param(str({"password": SECRET}), id="inside-a-dict"),
    ],
)
def test_no_way_of_printing_shows_it(shown):
    assert "hunter2" not in shown
    assert "***" in shown


def test_reveal_gives_the_text():
    assert SECRET.reveal() == "hunter2"


def test_equality_is_of_the_texts():
    assert Secret("hunter2") == SECRET
    assert Secret("other") != SECRET
    assert SECRET != "hunter2"
    assert len({SECRET, Secret("hunter2")}) == 1


def test_it_is_not_pickled():
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(SECRET)


def test_an_empty_one_is_false():
    assert not Secret("")
    assert SECRET
