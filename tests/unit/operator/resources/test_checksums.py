import pytest

from forebay_operator.resources import digest, server_digest


def test_the_same_content_has_the_same_digest():
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})


@pytest.mark.parametrize("other", [{"a": 2}, {"a": "1"}, {}, {"a": 1, "b": None}])
def test_other_content_has_another(other):
    assert digest(other) != digest({"a": 1})


def test_a_digest_fits_into_an_annotation_or_a_label():
    assert len(digest("")) == 32


@pytest.mark.parametrize(
    ("url", "other"),
    [
        pytest.param("redis://:old@host:6379/0", "redis://:new@host:6379/0", id="password"),
        pytest.param("redis://u:p@host/0", "redis://host/0", id="no user"),
        pytest.param("redis://:p@ss@host/0", "redis://:p@other@host/0", id="unescaped @"),
        pytest.param("redis://:p/ss@host/0", "redis://:q/ss@host/0", id="unescaped slash"),
        pytest.param("redis+sentinel://:p@a,b/s", "redis+sentinel://:q@a,b/s", id="sentinels"),
        pytest.param("redis://[:p@host", "redis://[:q@host", id="no URL"),
    ],
)
def test_credentials_make_no_other_server(url, other):
    assert server_digest(url) == server_digest(other)


@pytest.mark.parametrize(
    "other",
    ["redis://:p@other:6379/0", "redis://:p@host:6380/0", "redis://:p@host:6379/1", "rediss://:p@host:6379/0", ""],
)
def test_host_port_database_and_scheme_make_another_server(other):
    assert server_digest("redis://:p@host:6379/0") != server_digest(other)


def test_of_a_text_that_is_no_url_nothing_can_be_found_out():
    assert server_digest("hunter2") == server_digest("correct horse")
