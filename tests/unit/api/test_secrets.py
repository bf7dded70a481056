"""Secrets among the manifests."""

import pytest

from forebay.api.errors import SecretError
from forebay.api.secrets import is_secret, read_secret

SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "redis"}}


def test_data_and_string_data_are_read():
    more = {"type": "Opaque", "data": {"a": "aHVudGVyMg==", "b": "eA=="}, "stringData": {"b": "y"}}
    assert read_secret(SECRET | more) == ("default/redis", {"a": "hunter2", "b": "y"})


def test_namespace_is_part_of_the_name():
    assert read_secret(SECRET | {"metadata": {"name": "redis", "namespace": "news"}}) == ("news/redis", {})


@pytest.mark.parametrize(
    "value", [None, [], {"apiVersion": "v2", "kind": "Secret"}, {"apiVersion": "v1", "kind": "Pod"}]
)
def test_other_manifests_are_no_secrets(value):
    assert not is_secret(value)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"metadata": {}}, "Secret: metadata.name is required; add it"),
        ({"metadata": 5}, "Secret: metadata.name is required; add it"),
        ({"metadata": {"name": "a", "namespace": 5}}, "Secret/a: metadata.namespace is no text"),
        ({"stringdata": {}}, "Secret/redis: stringdata is unknown; known are apiVersion, data"),
        ({"data": {"a": "hunter2!"}}, "Secret/redis: data.a is no UTF-8 in base64; give it in stringData as it is"),
        ({"data": {"a": "/w=="}}, "Secret/redis: data.a is no UTF-8 in base64"),
        (
            {"stringData": {"a": 5}},
            "Secret/redis: stringData does not map keys to texts; put the values between quotes",
        ),
        ({"data": ["hunter2"]}, "Secret/redis: data does not map keys to texts"),
    ],
)
def test_bad_secret_is_refused_without_its_values(more, problem):
    with pytest.raises(SecretError) as caught:
        read_secret(SECRET | more)
    assert str(caught.value).startswith(problem)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None
