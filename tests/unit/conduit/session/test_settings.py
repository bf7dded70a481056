from math import inf

import pytest

from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.session.settings import SessionSettings, lease_seconds


@pytest.mark.parametrize(
    "field",
    [
        pytest.param({"peer_id": b""}, id="no id"),
        pytest.param({"peer_id": b"x" * 17}, id="an id too long"),
        pytest.param({"life": 1 << 32}, id="a life too high"),
        pytest.param({"lease": -1.0}, id="a negative lease"),
        pytest.param({"scout_interval": 0.0}, id="no time between SCOUTs"),
        pytest.param({"open_interval": 0.0}, id="no time between OPENs"),
        pytest.param({"open_tries": 0}, id="no OPEN"),
        pytest.param({"max_peers": 0}, id="no peers"),
    ],
)
def test_what_cannot_be_is_refused_by_name(field):
    with pytest.raises(SettingError, match=next(iter(field))):
        SessionSettings(**{"peer_id": b"id", **field})


@pytest.mark.parametrize(
    ("lease", "units", "interval"),
    [
        pytest.param(5.0, 50, 1.25, id="seconds"),
        pytest.param(0.3, 3, 0.075, id="tenths"),
        pytest.param(1.01, 11, 0.275, id="rounded up"),
        pytest.param(0.0, 0, inf, id="for ever"),
    ],
)
def test_leases_are_told_in_tenths_of_a_second(lease, units, interval):
    settings = SessionSettings(b"id", lease=lease)
    assert settings.lease_units == units
    assert settings.keepalive_interval == pytest.approx(interval)


def test_a_lease_of_nothing_lasts_for_ever():
    assert lease_seconds(0) == inf
    assert lease_seconds(600) == 60.0
