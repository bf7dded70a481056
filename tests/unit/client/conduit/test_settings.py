"""Places and settings of a node."""

import pytest

from forebay.client.conduit import ConduitNodeSettings
from forebay.conduit.core.errors import SettingError
from forebay.conduit.transport.places import Place, parse_place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("udp/127.0.0.1:7447", Place("udp", "127.0.0.1", 7447), id="address"),
        pytest.param("tcp/[::1]:0", Place("tcp", "::1", 0), id="IPv6"),
        pytest.param("udp/conduit.farm.svc:1", Place("udp", "conduit.farm.svc", 1), id="name"),
    ],
)
def test_place_is_read(text, place):
    assert parse_place(text, "peers") == place


@pytest.mark.parametrize(
    "text", ["", "udp", "sctp/a:1", "udp/:1", "udp/a", "udp/a:", "udp/a:65536", "udp/a:-1", "udp/a:१"]
)
def test_other_places_are_refused(text):
    with pytest.raises(SettingError, match="peers is"):
        parse_place(text, "peers")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"listen": "tcp/127.0.0.1:1"}, "listen is 'tcp/127.0.0.1:1': take udp/", id="listen"),
        pytest.param({"streams": "udp/127.0.0.1:1"}, "streams is 'udp/127.0.0.1:1': take tcp/", id="streams"),
        pytest.param({"group": "udp/10.0.0.1:1"}, "take an address in 224", id="no group"),
        pytest.param({"group": "udp/[ff02::1]:1"}, "take IPv4 addresses", id="group of IPv6"),
        pytest.param({"peers": ("nowhere",)}, "peers is 'nowhere'", id="peers"),
        pytest.param({"spill_octets": 0}, "spill_octets is 0: take more than 0", id="spill"),
        pytest.param({"queue_samples": 0}, "queue_samples is 0: take more than 0", id="queue"),
    ],
)
def test_settings_that_cannot_be_used_are_named(options, message):
    with pytest.raises(SettingError, match=message.replace("[", r"\[")):
        ConduitNodeSettings(**options)
