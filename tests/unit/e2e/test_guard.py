"""End-to-end tests delete what they find: they must not run on a cluster that somebody needs."""

import pytest

from e2e.cluster import is_near


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "10.1.2.3", "192.168.49.2", "172.31.0.1", "fd00::1"])
def test_a_cluster_on_this_network_is_taken(host):
    assert is_near(host)


@pytest.mark.parametrize("host", ["8.8.8.8", "k8s.example.com", "2600::1", "172.32.0.1", ""])
def test_any_other_is_not(host):
    assert not is_near(host)
