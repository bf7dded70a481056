"""What names a forwarder under one spec."""

from dataclasses import fields, replace

import pytest

from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
from forebay.announcer.lasting.digest import SIZE, digest_of
from forwardings import spec

OTHERS = {"name": "other", "url": "udp://other.example:80", "host": "other.example", "ip": "192.0.2.1", "timeout": 5.0}


@pytest.mark.parametrize("field", OTHERS)
def test_another_spec_has_another_digest(field):
    assert digest_of(replace(spec(), **{field: OTHERS[field]})) != digest_of(spec())


def test_it_does_not_change_from_release_to_release():
    assert len(digest_of(spec())) == SIZE
    assert digest_of(spec()).hex() == "8d5910146abbf691"


def test_a_field_that_is_unset_does_not_count():
    told = {field.name: getattr(spec(), field.name) for field in fields(ForwarderSpec)}
    assert digest_of(ForwarderSpec(**told)) == digest_of(ForwarderSpec(spec().name, spec().url))


def test_a_setting_within_a_setting_counts():
    own = replace(spec().own, attempts=3)
    assert digest_of(spec(own=own)) != digest_of(spec(own=replace(own, attempts=4)))
