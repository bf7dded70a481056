import pytest

from forebay.cli.errors import InputError
from forebay.cli.storepublishing import Letter, bodies_of, counts_of, headers_of, seconds_of
from forebay.client import PublishTally


async def bodies(*given, paths=(), lines=False):
    return [body async for body in bodies_of(given, paths, lines)]


async def test_bodies_of_the_command_line_come_before_those_of_files(tmp_path):
    (tmp_path / "a").write_bytes(b"from a\n")
    assert await bodies("first", "Grüße", paths=[tmp_path / "a"]) == [b"first", "Grüße".encode(), b"from a\n"]


async def test_each_line_may_be_a_message(tmp_path):
    (tmp_path / "a").write_bytes(b"one\r\n\ntwo\nlast")
    assert await bodies(paths=[tmp_path / "a"], lines=True) == [b"one", b"", b"two", b"last"]


async def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        await bodies(paths=[tmp_path / "gone"])


def test_headers_are_read_by_name():
    assert headers_of(["kind=order", "note=a=b", "empty="]) == {"kind": "order", "note": "a=b", "empty": ""}


@pytest.mark.parametrize("text", ["kind", "=order", ""])
def test_a_header_that_is_none_is_an_error(text):
    with pytest.raises(InputError, match="give NAME=VALUE"):
        headers_of([text])


def test_a_duration_has_a_unit():
    assert seconds_of("--ttl", "1m30s") == 90
    assert seconds_of("--ttl", "") is None
    with pytest.raises(InputError, match="--ttl: '30' is no duration; give 30s"):
        seconds_of("--ttl", "30")


def test_a_letter_goes_around_each_body():
    message = Letter("orders", {"kind": "order"}, 0.5, 4, transient=True).around(b"x")
    assert (message.address, message.body, message.ttl_ms, message.priority) == ("orders", b"x", 500, 4)
    assert message.transient
    assert dict(message.headers) == {"kind": "order"}


def test_outcomes_are_counted_by_name():
    tally = PublishTally(confirmed=3, refused=1)
    assert counts_of(tally) == {"confirmed": 3, "duplicate": 0, "unrouted": 0, "refused": 1}
