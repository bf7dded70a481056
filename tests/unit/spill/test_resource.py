"""Where the Redis of a Spill resource is."""

import pytest

from forebay.api import read_objects
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import FieldError
from forebay.runtime.secret import Secret
from forebay.spill.resource import url_of
from manifests import NAMESPACE, spill

FROM_SECRET = {"urlFrom": {"secretRef": {"name": "redis", "key": "url"}}}


def url(secrets=None, **spec):
    (reading,) = read_objects([spill(**spec)])
    assert not reading.violations
    return url_of(reading.resource, ConfigDocument(1, (), secrets or {}), None)


def fault(**given):
    with pytest.raises(FieldError) as caught:
        url(**given)
    return caught.value.violation


def secret(value):
    return {f"{NAMESPACE}/redis": {"url": Secret(value)}}


def test_its_own_url():
    assert url(url="redis://r.example:6379/0") == "redis://r.example:6379/0"


def test_the_url_of_a_secret():
    assert url(secret("redis://:hush@r.example"), **FROM_SECRET) == "redis://:hush@r.example"


def managed():
    (reading,) = read_objects([spill(managed={})])
    return reading.resource


def test_a_managed_one_is_where_its_server_is_run():
    assert url_of(managed(), ConfigDocument(1), lambda each: f"unix:///{each.metadata.name}") == "unix:///main"


def test_a_managed_one_is_a_fault_where_no_server_is_run():
    with pytest.raises(FieldError) as caught:
        url_of(managed(), ConfigDocument(1), None)
    assert caught.value.violation.field == "spec.managed"


def test_a_secret_that_is_missing_is_a_fault_of_the_reference():
    assert fault(**FROM_SECRET).field == "spec.urlFrom.secretRef"


def test_a_secret_that_is_no_url_is_told_without_it():
    violation = fault(secrets=secret("http://:hush@r.example"), **FROM_SECRET)
    assert violation.field == "spec.urlFrom.secretRef"
    assert violation.description.startswith("is no URL of Redis: ")
    assert "hush" not in violation.description
