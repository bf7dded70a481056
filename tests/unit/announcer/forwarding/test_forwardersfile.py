"""A retracker's forwarders.yml as manifests."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import SHARED, missing
from forebay.announcer.errors import ForwardersFileError
from forebay.announcer.forwarding.forwardersfile import read_forwarders
from forebay.api.v1alpha1.metadata import LABEL


def specs(text):
    return [manifest["spec"] for manifest in read_forwarders(text, "tracker")]


def names(text):
    return [manifest["metadata"]["name"] for manifest in read_forwarders(text, "tracker")]


def test_an_entry_with_everything():
    text = "- {uri: 'http://10.0.0.1:8080/announce?pk=1', name: Mine, ip: 203.0.113.42, host: retracker.local}"
    assert read_forwarders(text, "tracker") == [
        {
            "apiVersion": "forebay.dev/v1alpha1",
            "kind": "Forwarder",
            "metadata": {"name": "mine"},
            "spec": {
                "announcerRef": {"name": "tracker"},
                "url": "http://10.0.0.1:8080/announce?pk=1",
                "hostHeader": "retracker.local",
                "externalIp": "203.0.113.42",
            },
        }
    ]


def test_what_is_not_told_is_left_out():
    assert specs("- uri: udp://tracker.example:6969/announce\n  name:\n  ip: ''") == [
        {"announcerRef": {"name": "tracker"}, "url": "udp://tracker.example:6969/announce"}
    ]


@pytest.mark.parametrize("text", ["", "\n", "# - uri: http://x.example/", "---\n", "[]"])
def test_no_entries(text):
    assert read_forwarders(text, "tracker") == []


def test_one_uri_with_another_ip_or_name_or_host_is_another_tracker():
    text = "\n".join(
        f"- {{uri: http://t.example/announce{more}}}"
        for more in ("", ", ip: 10.0.0.15", ", name: b", ", host: c.example")
    )
    assert names(text) == ["t.example", "t.example-2", "b", "t.example-3"]


def test_the_same_entry_twice_is_one():
    assert names("- uri: http://t.example/a\n- uri: http://t.example/a") == ["t.example"]


def test_two_uris_on_one_host_have_names_of_their_own():
    assert names("- uri: http://t.example/a\n- uri: http://t.example/b") == ["t.example", "t.example-2"]


def test_a_number_behind_a_name_is_not_one_that_another_has():
    text = "- {uri: 'http://x.example/1', name: a}\n- {uri: 'http://x.example/2', name: a-2}\n" + (
        "- {uri: 'http://x.example/3', name: A}"
    )
    assert names(text) == ["a", "a-2", "a-3"]


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("My Tracker!", "my-tracker"),
        ("--x--", "x"),
        ("Трекер", "forwarder"),
        ("a..b", "a.b"),
        ("7", "7"),
        ("x" * 80, "x" * 55),
        ("tracker_1", "tracker-1"),
    ],
)
def test_names_are_made_valid(name, made):
    assert names(f"- {{uri: 'http://t.example/', name: '{name}'}}") == [made]


def test_an_address_as_host():
    assert names("- uri: http://192.0.2.4:8080/announce\n- uri: http://[2001:db8::1]/announce") == [
        "192.0.2.4",
        "2001-db8-1",
    ]


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=300), max_size=20))
def test_all_names_are_valid_and_unique(wanted):
    text = "\n".join(f"- {{uri: 'http://t.example/{n}', name: {_quoted(name)}}}" for n, name in enumerate(wanted))
    made = names(text)
    assert len(set(made)) == len(wanted)
    assert all(len(name) <= 253 and re.fullmatch(rf"{LABEL}(\.{LABEL})*", name) for name in made)


def _quoted(name):
    return "'" + name.replace("'", "''") + "'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("uri: http://x.example/", "no list"),
        ("- [", "no YAML"),
        ("- http://x.example/", "entry 1: is no map"),
        ("- uri: http://x.example/\n- name: a", "entry 2: uri '' is no tracker's address"),
        ("- uri: ftp://x.example/", "entry 1: uri 'ftp://x.example/' is no"),
        ("- uri: http:///announce", "entry 1: uri 'http:///announce' is no"),
        ("- uri: udp://x.example/announce", "udp with a port"),
        ("- uri: http://x.example:99999/", "entry 1: uri"),
        ("- uri: 'http://[::1/'", "entry 1: uri"),
        ("- uri: http://x.example/a b", "entry 1: uri"),
        ("- {uri: 'http://x.example/', ip: 1.2.3}", "entry 1: ip '1.2.3' is no IP address"),
        ("- {uri: 'http://x.example/', port: 80}", "entry 1: 'port' is unknown; there are uri, name, ip, host"),
        ("- {uri: 'http://x.example/', host: [a]}", "entry 1: host is no text"),
    ],
    ids=range(13),
)
def test_errors_name_the_entry_and_the_remedy(text, message):
    with pytest.raises(ForwardersFileError, match=re.escape(message)):
        read_forwarders(text, "tracker")


def sample(name):
    path = SHARED / "inputs" / "forwarders" / name
    if not path.is_file():
        missing(f"needs inputs/forwarders/{name} in the folder that FOREBAY_SHARED names")
    return path.read_text()


def test_a_real_template():
    text = sample("01-template.forwarders.yml")
    assert names(text) == [
        "tracker.example.com",
        "tracker.example.com-2",
        "tracker.example.com-3",
        "tracker.example.com-4",
        "my-tracker",
    ]
    assert specs(text)[3]["externalIp"] == "203.0.113.42"
    assert specs(text)[3]["url"] == specs(text)[4]["url"]


def test_a_real_sample():
    read = specs(sample("02-readme-sample.forwarders.yml"))
    assert [spec["url"] for spec in read] == [
        "http://192.0.2.4:8080/announce",
        "http://198.51.100.8:8080/announce",
        "http://198.51.100.8:8080/announce",
        "http://10.0.0.1:8080/announce",
    ]
    assert [spec.get("externalIp") for spec in read] == [None, None, "10.0.0.15", None]
    assert read[3]["hostHeader"] == "retracker.local"


def test_a_real_file_of_comments_alone():
    assert specs(sample("03-comments-only.forwarders.yml")) == []
