import pickle
from argparse import ArgumentParser

import pytest

from forebay_spark.errors import OptionError
from forebay_spark.place import SpillPlace, add_places, places

SECRET = "redis://user:hunter2@host:6379"


def test_options_name_the_same_place_again() -> None:
    place = SpillPlace("outfeed", "uid", url_file="/run/url")
    assert SpillPlace.of(place.options()) == place


@pytest.mark.parametrize("urls", [{}, {"url": "redis://a", "url_file": "/run/url"}], ids=["none", "both"])
def test_the_url_is_given_in_one_way(urls: dict[str, str]) -> None:
    with pytest.raises(OptionError, match="urlFile"):
        SpillPlace("outfeed", "uid", **urls)


@pytest.mark.parametrize("name", ["service", "uid"])
def test_what_is_missing_is_named(name: str) -> None:
    options = SpillPlace("outfeed", "uid", SECRET).options()
    del options[name]
    with pytest.raises(OptionError, match=f"{name} is missing"):
        SpillPlace.of(options)


def test_the_password_is_never_shown() -> None:
    assert "hunter2" not in repr(SpillPlace("outfeed", "uid", SECRET))


def test_a_place_can_be_sent_to_other_machines() -> None:
    place = SpillPlace("outfeed", "uid", SECRET)
    assert pickle.loads(pickle.dumps(place)) == place  # noqa: S301


def test_the_file_is_read_when_connecting(tmp_path) -> None:
    (tmp_path / "url").write_text("nonsense://\n")
    with pytest.raises(ValueError, match="scheme"):
        SpillPlace("outfeed", "uid", url_file=str(tmp_path / "url")).connect()


def parsed(*arguments: str) -> list[SpillPlace]:
    parser = ArgumentParser()
    add_places(parser)
    return places(parser.parse_args([*arguments, "--url-file", "/run/url"]))


def test_arguments_name_a_place() -> None:
    assert parsed("--uid", "u") == [SpillPlace("outfeed", "u", url_file="/run/url")]


def test_arguments_name_several_places_on_one_redis() -> None:
    named = parsed("--service", "outfeed", "--uid", "u", "--service", "router", "--uid", "v")
    assert [(place.service, place.uid) for place in named] == [("outfeed", "u"), ("router", "v")]


def test_a_service_for_one_of_two_places_alone_is_refused() -> None:
    with pytest.raises(OptionError, match="one for each uid"):
        parsed("--service", "outfeed", "--uid", "u", "--uid", "v")
