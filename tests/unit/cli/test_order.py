"""The order in which the services of one process start."""

from pathlib import Path

import pytest

from forebay.cli import ensemble
from forebay.cli.choices import all_of
from forebay.cli.ensemble import Ensemble, Gathering
from forebay.cli.hosting import Hosting
from forebay.cli.valkey import Valkeys

QUICKSTART = Path(__file__).parents[3] / "examples" / "quickstart"
HUB = ("Outfeed", "default", "hub")


@pytest.fixture
def ensemble_of(tmp_path):
    """The quick start with seconds that its services start later."""

    def made(**later):
        return Ensemble(Gathering(Hosting(tmp_path), [QUICKSTART], "redis://unused", later), all_of, Valkeys(tmp_path))

    return made


@pytest.fixture
def served(monkeypatch):
    """The hosts that were run, in their order."""
    hosts = []

    async def serve(given, reload):
        hosts.extend(given)

    monkeypatch.setattr(ensemble, "serve", serve)
    return hosts


async def order_of(run, served):
    await run.run()
    names = {host: name for (*_, name), host in run.hosts.items()}
    return [names[host] for host in served]


async def test_services_start_when_they_are_due(ensemble_of, served):
    assert await order_of(ensemble_of(hub=2, west=1), served) == ["east", "west", "hub"]


async def test_what_is_held_starts_behind_what_it_waits_for(ensemble_of, served):
    run = ensemble_of(hub=2, west=1)
    run.hold_late(HUB)
    assert await order_of(run, served) == ["east", "hub", "west"]


async def test_only_what_starts_later_is_held_and_the_fed_one_never(ensemble_of):
    run = ensemble_of(hub=2, west=1)
    run.hold_late(HUB)
    assert [name for (*_, name), host in run.hosts.items() if not host.released.is_set()] == ["west"]
    run.release()
    assert all(host.released.is_set() for host in run.hosts.values())
