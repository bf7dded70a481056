import pytest

from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.errors import SettingError


@pytest.mark.parametrize(
    "field",
    [
        pytest.param({"number_bits": 13}, id="no such length of numbers"),
        pytest.param({"window_samples": 0}, id="no sample in the window"),
        pytest.param({"window_samples": 1 << 13}, id="half of all numbers in the window"),
        pytest.param({"window_samples": 64, "number_bits": 7}, id="half of the short numbers"),
        pytest.param({"window_octets": 0}, id="no octet in the window"),
        pytest.param({"mtu": 12}, id="no room for a payload"),
        pytest.param({"drain_to": 1.5}, id="more than the window"),
        pytest.param({"reorder_samples": -1}, id="fewer than none kept"),
    ],
)
def test_what_cannot_be_is_refused_by_name(field):
    with pytest.raises(SettingError, match=next(iter(field))) as caught:
        ConduitSettings(**field)
    assert str(next(iter(field.values()))) in str(caught.value)


def test_defaults_are_those_of_the_c_program():
    settings = ConduitSettings()
    assert (settings.window_octets, settings.window_samples, settings.number_bits) == (16384, 1600, 14)
    assert (settings.latency_budget, settings.synch_interval, settings.round_trip) == (0.010, 0.010, 0.001)
