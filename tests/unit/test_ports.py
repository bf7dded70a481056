from itertools import combinations

import pytest

from ports import HIGHEST, LOWEST, free_port, share


@pytest.fixture
def shares(monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "4")

    def share_of(number):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", f"gw{number}")
        return set(share())

    return [share_of(number) for number in range(4)]


def test_no_port_is_given_by_two_that_run_tests_side_by_side(shares):
    assert all(one.isdisjoint(other) for one, other in combinations(shares, 2))
    assert set().union(*shares) == set(range(LOWEST, HIGHEST))


def test_one_alone_has_them_all(monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.delenv("PYTEST_XDIST_WORKER_COUNT", raising=False)
    assert set(share()) == set(range(LOWEST, HIGHEST))


def test_a_port_is_given_once():
    ports = [free_port() for _ in range(50)]
    assert len(set(ports)) == 50
    assert set(ports) <= set(share())
