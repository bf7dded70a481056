"""URLs of Redis."""

import pytest

from forebay.spill import SpillSettingsError
from forebay.spill.address import Address, Endpoint, Form, parse_url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("redis://host", Address(Form.SINGLE, (Endpoint("host", 6379),)), id="port by default"),
        pytest.param("redis://[::1]:7000/3", Address(Form.SINGLE, (Endpoint("::1", 7000),), db=3), id="IPv6, database"),
        pytest.param("redis://[::1]", Address(Form.SINGLE, (Endpoint("::1", 6379),)), id="IPv6 without port"),
        pytest.param(
            "rediss://ann:p%40ss%2F@host:1",
            Address(Form.SINGLE, (Endpoint("host", 1),), tls=True, username="ann", password="p@ss/"),
            id="TLS, user and quoted password",
        ),
        pytest.param(
            "redis://:secret@host", Address(Form.SINGLE, (Endpoint("host", 6379),), password="secret"), id="no user"
        ),
        pytest.param("unix:///run/redis.sock?db=2", Address(Form.UNIX, path="/run/redis.sock", db=2), id="socket"),
        pytest.param(
            "redis+sentinel://a,b:2/main/1",
            Address(Form.SENTINEL, (Endpoint("a", 26379), Endpoint("b", 2)), service="main", db=1),
            id="Sentinels",
        ),
        pytest.param(
            "rediss+cluster://a:1,b:2",
            Address(Form.CLUSTER, (Endpoint("a", 1), Endpoint("b", 2)), tls=True),
            id="cluster with TLS",
        ),
    ],
)
def test_a_url_is_read(url: str, expected: Address) -> None:
    assert parse_url(url) == expected


@pytest.mark.parametrize(
    ("url", "message"),
    [
        pytest.param("http://host", "its scheme is unknown", id="scheme"),
        pytest.param("hunter2://host", "its scheme is unknown", id="password in front"),
        pytest.param("redis://[host", "IPv6 addresses as", id="half a bracket"),
        pytest.param("redis://a,b", r"need redis\+cluster://", id="several hosts"),
        pytest.param("redis://host:0", "name:port", id="port 0"),
        pytest.param("redis://host:65536", "name:port", id="port too large"),
        pytest.param("redis://:1", "name:port", id="no host"),
        pytest.param("redis://host:²", "name:port", id="digit that is none"),
        pytest.param("redis://host/x", "the database, which follows the host, must be a number", id="database"),
        pytest.param("redis+sentinel://a", "ends in /SERVICE", id="no service"),
        pytest.param("redis+cluster://a/1", "database 0 only", id="database of a cluster"),
        pytest.param("unix://run/redis.sock", "absolute path", id="relative path"),
    ],
)
def test_a_bad_url_is_refused_without_repeating_it(url: str, message: str) -> None:
    with pytest.raises(SpillSettingsError, match=message) as caught:
        parse_url(url.replace("://", "://user:hunter2@"))
    assert "hunter2" not in str(caught.value)


def test_a_password_that_is_not_escaped_is_not_shown_either() -> None:
    with pytest.raises(SpillSettingsError, match="escape a / in a password as %2F") as caught:
        parse_url("redis://user:12/hunter2@host")
    assert "hunter2" not in str(caught.value)


def test_an_address_never_shows_its_password() -> None:
    address = parse_url("redis://user:hunter2@host")
    assert "hunter2" not in f"{address} {address!r}"
