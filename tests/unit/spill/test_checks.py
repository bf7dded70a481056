"""Checks on connect."""

import pytest

from forebay.spill import SpillCheckError, SpillUnavailableError
from forebay.spill.address import Form
from forebay.spill.checks import check_server, check_sync, parse_info

GOOD = {
    "redis_version": "7.2.4",
    "loading": "0",
    "role": "master",
    "aof_enabled": "1",
    "maxmemory_policy": "noeviction",
    "cluster_enabled": "0",
}


def test_info_is_read() -> None:
    info = parse_info(b"# Server\r\nredis_version:7.2.4\r\nexecutable:/a:b\r\n\r\n")
    assert info == {"redis_version": "7.2.4", "executable": "/a:b"}


@pytest.mark.parametrize("version", ["7.2.0", "7.4.1", "8.0.0", "10.1"])
def test_a_good_server_passes(version: str) -> None:
    check_server(GOOD | {"redis_version": version}, Form.SINGLE)


@pytest.mark.parametrize(
    ("found", "setting", "remedy"),
    [
        pytest.param({"redis_version": "7.0.15"}, "redis_version", "7.2 or later", id="old"),
        pytest.param({"redis_version": ""}, "redis_version", "7.2 or later", id="no version"),
        pytest.param({"aof_enabled": "0"}, "appendonly", "set appendonly yes", id="no log"),
        pytest.param({"maxmemory_policy": "volatile-lru"}, "maxmemory-policy", "noeviction", id="evicts"),
        pytest.param({"cluster_enabled": "1"}, "cluster-enabled", "redis+cluster://", id="a cluster"),
    ],
)
def test_an_unfit_server_is_told_by_setting_and_remedy(found: dict[str, str], setting: str, remedy: str) -> None:
    with pytest.raises(SpillCheckError) as caught:
        check_server(GOOD | found, Form.SINGLE)
    assert caught.value.setting == setting
    assert remedy in caught.value.remedy
    assert setting in str(caught.value)


@pytest.mark.parametrize("found", [{"loading": "1"}, {"role": "slave"}], ids=["loading", "replica"])
def test_what_passes_by_waiting_is_no_fault_of_settings(found: dict[str, str]) -> None:
    with pytest.raises(SpillUnavailableError):
        check_server(GOOD | found, Form.SINGLE)


def test_a_log_that_is_never_synced_is_told() -> None:
    check_sync("everysec")
    with pytest.raises(SpillCheckError, match="appendfsync is 'no': set it to everysec or always"):
        check_sync("no")


def test_a_single_server_is_no_cluster() -> None:
    with pytest.raises(SpillCheckError, match="redis://"):
        check_server(GOOD, Form.CLUSTER)
