"""Reasons without keys."""

import pytest

from forebay.announcer.upstream.withoutkeys import without_keys

KEY = "0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "url", "shown"),
    [
        pytest.param("HTTP 404 Not Found", f"http://t.example/{KEY}/announce", "HTTP 404 Not Found", id="nothing"),
        pytest.param(f"{KEY} is unknown", f"http://t.example/{KEY}/announce", "… is unknown", id="in the path"),
        pytest.param(f"no user {KEY}", f"http://t.example/announce?pk={KEY}", "no user …", id="in the query"),
        pytest.param("no a+b/c12", "http://t.example/announce?pk=a%2Bb%2Fc12", "no …", id="encoded, shown plain"),
        pytest.param("bad pass secret-1", "http://me:secret-1@t.example/a", "bad pass …", id="password"),
        pytest.param("announce too soon", "http://t.example/announce.php", "announce too soon", id="no key"),
        pytest.param("id 12 is banned", "http://t.example/announce?id=12", "id 12 is banned", id="too short"),
        pytest.param(
            f"400, message='no', url='http://me@t.example:80/announce?pk={KEY}&x=%20'",
            "http://t.example/announce",
            "400, message='no', url='http://t.example:80'",
            id="a whole address",
        ),
        pytest.param("see udp://t.example:1/k here", "udp://t.example:1/k", "see udp://t.example:1 here", id="udp"),
    ],
)
def test_what_is_shown(text, url, shown):
    assert without_keys(text, url) == shown


def test_the_longer_key_goes_first():
    assert without_keys("abcdef-abcdef", "http://t.example/abcdef/abcdef-abcdef") == "…"
