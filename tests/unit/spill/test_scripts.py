"""How scripts are called."""

import re
from importlib.resources import files

import pytest

from forebay.spill import scripts

ALL = [name for name in dir(scripts) if isinstance(getattr(scripts, name), scripts.Script)]


@pytest.mark.parametrize("name", ALL)
def test_the_flags_come_first(name: str) -> None:
    assert re.match(r"#!lua( flags=allow-oom)?\n", getattr(scripts, name).text)


@pytest.mark.parametrize("name", ALL)
def test_a_full_redis_refuses_only_what_needs_room(name: str) -> None:
    may_be_refused = name in ("APPEND", "PROBE", "STAGE", "STAGE_DROPPED", "TIMETABLE_PUT")
    assert may_be_refused == ("allow-oom" not in getattr(scripts, name).text.partition("\n")[0])


def test_no_script_looks_for_keys() -> None:
    for source in files("forebay.spill").joinpath("lua").iterdir():
        assert not re.search(r"'(SCAN|KEYS|RANDOMKEY)'", source.read_text())


def test_the_text_takes_the_place_of_the_digest() -> None:
    command = scripts.RENEW.call(["key"], ["token", 5])
    assert command == ("EVALSHA", scripts.RENEW.digest, 1, "key", "token", 5)
    assert scripts.with_text(command) == ("EVAL", scripts.RENEW.text, 1, "key", "token", 5)
