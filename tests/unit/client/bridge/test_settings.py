"""Settings of a bridge."""

import pytest

from forebay.client.bridge import BridgeSettingError, BridgeSettings, ZenohSettings
from forebay.client.bridge.zenohside import configuration


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"outward": ("plant",)}, "outward has 'plant': it does not start with / or \\*\\*"),
        ({"inward": ("/a//b",)}, "inward has '/a//b': it holds //"),
        ({"inward": ("/a/**", "/*/b")}, "inward: '/a/\\*\\*' and '/\\*/b' match the same URIs"),
        ({"prefix": "/site"}, "prefix is '/site': take a key as plant/conduit"),
        ({"prefix": "site/*"}, "prefix is 'site/\\*'"),
        ({"conduit": -1}, "conduit is -1: take 0 or more"),
        ({"waiting_samples": 0}, "waiting_samples is 0: take 1 or more"),
    ],
)
def test_what_makes_no_bridge_is_named(options, problem):
    with pytest.raises(BridgeSettingError, match=problem):
        BridgeSettings(**options)


def test_patterns_that_share_nothing_go_together():
    assert BridgeSettings(outward=("/a/**", "/b/*", "/c"), prefix="site/one").outward == ("/a/**", "/b/*", "/c")


def test_options_go_before_the_file(tmp_path):
    file = tmp_path / "zenoh.json5"
    file.write_text("{mode: 'router', connect: {endpoints: ['tcp/a:1']}, scouting: {multicast: {enabled: false}}}")
    config = configuration(ZenohSettings(file, "client", listen=("tcp/127.0.0.1:0",)))
    assert config.get_json("mode") == '"client"'
    assert config.get_json("connect/endpoints") == '["tcp/a:1"]'
    assert config.get_json("listen/endpoints") == '["tcp/127.0.0.1:0"]'
    assert config.get_json("scouting/multicast/enabled") == "false"


@pytest.mark.parametrize(
    "made",
    [{"mode": "server"}, {"connect": ("nowhere",)}],
    ids=["mode", "endpoint"],
)
def test_what_zenoh_does_not_take_is_told(made):
    with pytest.raises(BridgeSettingError, match="zenoh does not take its settings"):
        configuration(ZenohSettings(**made))


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(BridgeSettingError, match="zenoh does not take its settings"):
        configuration(ZenohSettings(tmp_path / "none.json5"))
