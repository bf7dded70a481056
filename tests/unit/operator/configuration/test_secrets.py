from base64 import b64encode
from unittest.mock import Mock

from forebay_operator.configuration import secrets, secrets_of, texts_of
from manifests import outfeed, peerfeed, spill

AUTH = {"username": "us", "passwordFrom": {"secretRef": {"name": "login", "key": "password"}}}


def test_resources_without_references_need_no_secret():
    assert secrets_of([spill(), outfeed(), peerfeed()]) == frozenset()


def test_references_anywhere_in_a_resource_are_found():
    given = spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}})
    assert secrets_of([given, outfeed(), peerfeed(auth=AUTH)]) == {"news/redis", "news/login"}


def test_a_managed_spill_needs_the_secret_of_its_server():
    assert secrets_of([spill(managed={})]) == {"news/main-valkey"}


def test_a_certificate_is_no_part_of_a_configuration():
    assert secrets_of([outfeed(tls={"secretRef": {"name": "hub-tls"}})]) == frozenset()


def test_a_malformed_resource_needs_none():
    assert secrets_of([peerfeed(auth=AUTH, window=-1)]) == frozenset()


def test_the_texts_of_a_secret_are_decoded():
    assert texts_of({"data": {"password": b64encode("pässword".encode()).decode()}}) == {"password": "pässword"}


def test_what_is_no_text_is_left_out():
    assert texts_of({"data": {"binary": b64encode(b"\xff").decode(), "broken": "*"}}) == {}


def test_a_secret_may_be_empty():
    assert texts_of({}) == texts_of({"data": None}) == {}


def test_a_resource_is_read_once_as_long_as_its_content_is_the_same(monkeypatch):
    read = Mock(wraps=secrets.read_object)
    monkeypatch.setattr(secrets, "read_object", read)
    first = {**peerfeed(window=77), "status": {"backlog": 1}}
    for body in (first, {**first, "status": {"backlog": 2}}):
        secrets_of([body])
    assert read.call_count == 1
    secrets_of([peerfeed(window=78)])
    assert read.call_count == 2
